/** `cortex memory`: what agents have written down to know it later, and a change of it. */
import { hash } from "node:crypto";
import { listMemory, readWholeMemory, writeMemory } from "../../../journal/agents/memory.ts";
import { TextFileError } from "../../../journal/editing/text-edits.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { columns } from "../../command/layout/columns.ts";
import { type Command, CommandError, parseCommandLine, unknownName, usageError } from "../../command/command.ts";
import { givenText } from "../../command/given-file.ts";

const help = `
Usage: cortex memory list [--json]
       cortex memory show PATH [--json]
       cortex memory put PATH [FILE] [--version VERSION] [--json]

  list   the files of the agents' memory
  show   one of them, such as people/anna.md; --json also has its version
  put    write one from FILE or standard input, or make it. --version: only if it is still this one
`;

const options = { json: { type: "boolean" }, version: { type: "string" } } as const;

export const command: Command = {
  help,
  run: async (args) => {
    const { values, positionals } = parseCommandLine(args, options, "cortex memory", 3);
    const [action = "list", path, from] = positionals;
    const { json = false, version } = values;
    const journal = readEnvironment().journalPath;
    if (action === "list") return list(journal, json);
    if (action !== "show" && action !== "put")
      throw unknownName("action", action, ["list", "show", "put"], "cortex memory");
    if (path === undefined) throw usageError(`cortex memory ${action} takes a path`, "paths: cortex memory list");
    try {
      if (action === "put") await put(journal, path, await givenText(from, "cortex memory"), version);
      return printFile(fileOf(journal, path), action, json);
    } catch (error) {
      if (error instanceof TextFileError) throw usageError(error.message, "paths: cortex memory list", error);
      throw error;
    }
  },
};

function list(journal: string, json: boolean): number {
  const files = listMemory(journal).map(({ path, bytes, summary = null }) => ({ path, bytes, summary }));
  const rows = files.map(({ path, bytes, summary }) => [path, String(bytes), summary ?? ""]);
  const table = files.length === 0 ? "nothing is remembered yet" : columns([["PATH", "BYTES", "WHAT"], ...rows]);
  process.stdout.write(`${json ? JSON.stringify({ files }) : table}\n`);
  return exitCodes.done;
}

type MemoryFile = { path: string; text: string; version: string };

function fileOf(journal: string, path: string): MemoryFile {
  const text = readWholeMemory(journal, path);
  if (text === null) throw usageError(`the memory has no file "${path}"`, "paths: cortex memory list");
  return { path, text, version: versionOf(text) };
}

async function put(journal: string, path: string, text: string, version: string | undefined): Promise<void> {
  const before = readWholeMemory(journal, path);
  if (version !== undefined && (before === null || versionOf(before) !== version)) {
    const hint = `see: cortex memory show ${path} --json`;
    throw new CommandError("conflict", `"${path}" was changed since you read it`, hint, exitCodes.refused);
  }
  await writeMemory(journal, path, text);
}

function printFile(file: MemoryFile, action: "show" | "put", json: boolean): number {
  const shown = action === "show" ? file.text : `${file.path}: version ${file.version}\n`;
  process.stdout.write(json ? `${JSON.stringify({ file })}\n` : shown);
  return exitCodes.done;
}

const versionOf = (text: string) => hash("sha256", text, "hex").slice(0, 16);
