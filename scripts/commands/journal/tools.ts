/** `cortex tools`: what the MCP server offers, and a call of one tool, as an agent would make it. */
import { messageOf } from "../../../files/errors/error-message.ts";
import { copyNote } from "../../../journal/config/folder-mark.ts";
import type { Client } from "@modelcontextprotocol/client";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { readToolCatalog, type ToolSource } from "../../../journal/programs/tool-catalog.ts";
import { searchEngine } from "../../../journal/programs/web-search.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { nearestName } from "../../../protocol/words/nearest-name.ts";
import { isRecord } from "../../../protocol/json/json-object.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { readEndpoints } from "../../../journal/access/endpoints.ts";
import { parseJson } from "../../../protocol/json/parse-json.ts";
import { shownUrl } from "../../../protocol/guards/shown-url.ts";

const help = `
Usage: cortex tools list [--json]
       cortex tools call NAME [KEY=VALUE…] [--json]
       cortex tools call NAME '{"key": "value"}' [--json]

  cortex tools call search_journal query="garden seeds" limit=5
  cortex tools call everything.echo message=hello

Tools of external servers (mcp_servers in cortex.json) and of apps (apps/<app>/tools/) begin with its name.
`;

type Tool = { name: string; description?: string | undefined; inputSchema: { properties?: Record<string, unknown> } };

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, { json: { type: "boolean" } }, "cortex tools");
    const [action = "list", name, ...rest] = positionals;
    const json = values.json ?? false;
    if (action !== "list" && action !== "call") throw unknownName("action", action, ["list", "call"], "cortex tools");
    if (action === "list" && name !== undefined) throw usageError(`unexpected "${name}"`, "see: cortex tools --help");
    if (action === "call" && name === undefined)
      throw usageError("cortex tools call takes the name of a tool", "names: cortex tools list");
    const journal = readEnvironment().journalPath;
    const client = await connect(journal);
    try {
      const tools = await listTools(client);
      const { sources } = await readToolCatalog(journal);
      return name === undefined
        ? list(tools, sources, missingOf(journal, tools), json)
        : await call(client, toolOf(name, tools, sources), rest, json);
    } finally {
      await client.close();
    }
  },
};

/** By hand: the client's own way compiles a validator for each tool's output, 80 ms of CPU for what nobody reads. */
async function listTools(client: Client): Promise<Tool[]> {
  return (await client.request({ method: "tools/list" })).tools;
}

/** A tool that isn't offered here, and what would turn it on. */
type MissingTool = { tool: string; remedy: string };

/** The server says by its list what it has; only it knows its environment. */
function missingOf(journal: string, tools: Tool[]): MissingTool[] {
  const tool = "web_search";
  if (tools.some(({ name }) => name === tool)) return [];
  const found = searchEngine(journal, process.env);
  const remedy =
    "problem" in found ? found.problem : "cortex up was started without what this shell has: start it anew";
  return [{ tool, remedy }];
}

function list(tools: Tool[], sources: ToolSource[], missing: MissingTool[], json: boolean): number {
  if (json) process.stdout.write(`${JSON.stringify({ tools, sources, not_offered: missing })}\n`);
  else {
    const rows = tools.map(({ name, description = "", inputSchema: { properties = {} } }) => [
      name,
      Object.keys(properties).join(", "),
      description.split(/(?<=\.) /)[0] ?? "",
    ]);
    process.stdout.write(`${columns([["NAME", "ARGUMENTS", "WHAT FOR"], ...rows])}\n`);
    if (sources.length > 0)
      process.stdout.write(`\n${columns([["FROM", "", "STATE", "TOOLS"], ...sources.map(sourceRow)])}\n`);
    for (const { name, error, problems } of sources)
      for (const problem of [...(error === null ? [] : [error]), ...problems])
        process.stdout.write(`  ${name}: ${problem}\n`);
    for (const { tool, remedy } of missing) process.stdout.write(`\n${tool} isn't offered: ${remedy}\n`);
  }
  return exitCodes.done;
}

function sourceRow({ name, kind, state, tools }: ToolSource): string[] {
  return [name, kind, state, String(tools.length)];
}

async function call(client: Client, tool: Tool, args: string[], json: boolean): Promise<number> {
  const result = await client.callTool({ name: tool.name, arguments: parseArguments(tool, args) });
  const isError = result.isError === true;
  if (json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } else {
    const parts = Array.isArray(result.content) ? result.content.map(textOf) : [JSON.stringify(result)];
    (isError ? process.stderr : process.stdout).write(`${parts.join("\n")}\n`);
  }
  return isError ? exitCodes.failed : exitCodes.done;
}

/** Connects to the server of the running cortex, as the commands. */
async function connect(journal: string): Promise<Client> {
  const url = readEndpoints(journal)?.mcp_url;
  if (url === undefined) throw noServer(`no tools: nothing runs on the journal ${journal}${copyNote(journal)}`);
  // Heavy, and not needed to say what is wrong with the arguments.
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const client = new Client({ name: "cortex-tools", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const authorization = `Bearer ${await commandsToken(journal)}`;
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } });
  try {
    await client.connect(transport);
  } catch (error) {
    await client.close();
    throw noServer(`the MCP server at ${shownUrl(url)} doesn't answer: ${reasonOf(error)}`, error);
  }
  return client;
}

function toolOf(name: string, tools: Tool[], sources: ToolSource[]): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool) return tool;
  const source = sources.find((one) => name.startsWith(`${one.name}.`));
  if (source && source.state !== "ready")
    throw usageError(
      `there is no tool "${name}": the ${source.kind} "${source.name}" is ${source.state}${source.error === null ? "" : `, ${source.error}`}`,
      "see: cortex tools list",
    );
  const names = tools.map((one) => one.name);
  const nearest = nearestName(name, names);
  const known = nearest ? `did you mean "${nearest}"?` : `known tools are ${names.join(", ")}`;
  throw usageError(`there is no tool "${name}": ${known}`, "names: cortex tools list");
}

function parseArguments(tool: Tool, args: string[]): Record<string, unknown> {
  const [first] = args;
  if (first?.trimStart().startsWith("{")) {
    if (args.length > 1)
      throw usageError(`unexpected "${args[1]}" after the arguments as JSON`, "see: cortex tools --help");
    return parseObject(first);
  }
  return Object.fromEntries(args.map((arg) => parsePair(tool, arg)));
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = parseJson(text);
    if (isRecord(value)) return value;
    throw new Error("expected an object");
  } catch (error) {
    throw usageError(`the arguments are not JSON: ${messageOf(error)}`, "see: cortex tools --help");
  }
}

/** A value is text, unless the tool's schema says that it isn't: then it is read as JSON. */
function parsePair(tool: Tool, arg: string): [string, unknown] {
  const at = arg.indexOf("=");
  if (at < 1) throw usageError(`"${arg}": expected key=value`, "see: cortex tools --help");
  const key = arg.slice(0, at);
  const text = arg.slice(at + 1);
  const schema = tool.inputSchema.properties?.[key];
  if (!isRecord(schema) || schema["type"] === "string" || schema["type"] === undefined) return [key, text];
  try {
    return [key, parseJson(text)];
  } catch {
    // What the server makes of it says more than a parser's message.
    return [key, text];
  }
}

function textOf(part: unknown): string {
  return isRecord(part) && typeof part["text"] === "string" ? part["text"] : JSON.stringify(part);
}

function noServer(message: string, cause?: unknown): CommandError {
  return new CommandError("no_tools", message, "start it: cortex up", exitCodes.noBus, { cause });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
