/** `cortex mcp`: the tools on stdio, for Claude Desktop and editors, and the snippet that tells them so. */
import { readToolCatalog } from "../../../journal/programs/tool-catalog.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { nearestName } from "../../../protocol/words/nearest-name.ts";
import { allTools, externalGroups, packs } from "../../../protocol/settings/packs.ts";
import { type Command, parseCommandLine, usageError } from "../../command/command.ts";
import { shellQuoted } from "../../command/layout/shell-quoted.ts";
import { bridge } from "../../mcp/mcp-bridge.ts";

const help = `
Usage: cortex mcp [--tools LIST]
       cortex mcp config [--tools LIST] [--json]

Serves the journal's tools, resources and prompts over MCP on stdin and stdout, for clients that start their servers
themselves. It waits for the running cortex, which carries them out: start that with cortex up.

  config         print the snippet for such a client's settings
  --tools LIST   only these packs and tools, separated by commas
`;

export const command: Command = {
  help,
  run: async (args) => {
    const options = { tools: { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex mcp");
    const [action, ...rest] = positionals;
    if (action !== undefined && action !== "config")
      throw usageError(`unknown action "${action}": the only one is config`, "see: cortex mcp --help");
    if (rest.length > 0) throw usageError(`unexpected "${rest.join(" ")}"`, "see: cortex mcp --help");
    const { journalPath: journal } = readEnvironment();
    if (values.tools !== undefined) await checkTools(journal, values.tools);
    if (action === "config") return config(journal, values.tools, values.json ?? false);
    if (values.json) throw usageError("--json belongs to cortex mcp config", "see: cortex mcp --help");
    const say = (line: string) => void process.stderr.write(`cortex mcp: ${line}\n`);
    await bridge({ journal, tools: values.tools, printLine: say });
    return exitCodes.done;
  },
};

async function checkTools(journal: string, list: string): Promise<void> {
  const { sources } = await readToolCatalog(journal);
  const outside = sources.flatMap(({ name, tools }) => [name, ...tools]);
  const known = [...Object.keys(packs), ...externalGroups, ...allTools, ...outside];
  for (const item of list.split(",").map((part) => part.trim())) {
    // Of external servers nothing is known before they have been there once.
    if (known.includes(item) || item.includes(".")) continue;
    const nearest = nearestName(item, known);
    const hint = nearest ? `did you mean "${nearest}"?` : `packs are ${Object.keys(packs).join(", ")}`;
    throw usageError(`--tools: there is no pack or tool "${item}": ${hint}`, "names: cortex tools list");
  }
}

function config(journal: string, tools: string | undefined, json: boolean): number {
  // A client from the desktop has neither our PATH nor our environment.
  const args = [packageFile("bin/cortex.js"), "mcp", ...(tools === undefined ? [] : ["--tools", tools])];
  const server = { command: process.execPath, args, env: { JOURNAL_PATH: journal } };
  const snippet = { mcpServers: { cortex: server } };
  if (json) {
    process.stdout.write(`${JSON.stringify(snippet)}\n`);
    return exitCodes.done;
  }
  const line = [
    "claude mcp add cortex -e",
    shellQuoted(`JOURNAL_PATH=${journal}`),
    "--",
    ...[process.execPath, ...args].map(shellQuoted),
  ];
  process.stdout.write(
    `Claude Desktop (claude_desktop_config.json) and editors with the same settings:\n\n` +
      `${JSON.stringify(snippet, null, 2)}\n\nClaude Code:\n\n  ${line.join(" ")}\n`,
  );
  return exitCodes.done;
}
