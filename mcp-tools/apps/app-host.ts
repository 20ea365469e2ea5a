/**
 * Serves the tools of one app over MCP on stdio, in a process of its own: `app-host JOURNAL MODULE…`.
 * A module that can't be used is left out and named; what an app prints goes to stderr, so that it breaks no message.
 */
import { registerHooks } from "node:module";
import { basename } from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { type CallToolResult, Server } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { messageOf } from "../../files/errors/error-message.ts";
import { type AppTool, toolsOfModule } from "./app-tools.ts";
import { answerOf } from "./app-answer.ts";

/** For one module: what waits longer at its top level than this waits for ever. */
const importMs = 5_000;

const [journal = "", ...files] = process.argv.slice(process.argv.indexOf("mcp-tools/apps/app-host") + 1);
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr);
const exit = process.exit.bind(process);
process.exit = (code) => {
  throw new Error(`process.exit(${code ?? ""}) was called: a tool returns, or throws`);
};
// Apps may use the zod that is here, unless they have one of their own.
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (specifier !== "zod" && !specifier.startsWith("zod/")) throw error;
      return next(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});

const tools = new Map<string, AppTool>();
const problems: string[] = [];
for (const file of files) await load(file);

const server = new Server({ name: "cortex-app", version: "1" }, { capabilities: { tools: {} } });
server.setRequestHandler("tools/list", () => ({
  tools: [...tools.values()].map(({ description }) => description),
  _meta: { problems },
}));
server.setRequestHandler("tools/call", async ({ params }, { mcpReq: { signal } }): Promise<CallToolResult> => {
  const tool = tools.get(params.name);
  try {
    if (!tool) throw new Error(`there is no tool "${params.name}"`);
    return answerOf(await tool.run(params.arguments ?? {}, { journal, signal }));
  } catch (error) {
    return { content: [{ type: "text", text: messageOf(error) }], isError: true };
  }
});
// Without anybody to answer there is nothing left to do.
process.stdin.once("end", () => exit(0));
const out = new Writable({ write: (chunk: Buffer, _, done) => void write(chunk, () => done()) });
await server.connect(new StdioServerTransport(process.stdin, out));

async function load(file: string): Promise<void> {
  const name = basename(file);
  // The last line before a hang says where it hangs.
  process.stderr.write(`loading ${name}\n`);
  try {
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`its import isn't done after ${importMs / 1000} s`)), importMs).unref();
    });
    const module: unknown = await Promise.race([import(pathToFileURL(file).href), late]);
    for (const tool of toolsOfModule(module, name)) {
      const taken = tools.get(tool.description.name);
      if (taken) throw new Error(`the tool "${tool.description.name}" is in ${taken.file} already`);
      tools.set(tool.description.name, tool);
    }
  } catch (error) {
    problems.push(`${name} is left out: ${messageOf(error)}${placeOf(error)}`);
  }
}

/** A syntax error says where it is in the first line of its stack alone. */
function placeOf(error: unknown): string {
  const [, line] = /^\S+:(\d+)\n/.exec((error instanceof SyntaxError && error.stack) || "") ?? [];
  return line === undefined ? "" : `, in line ${line}`;
}
