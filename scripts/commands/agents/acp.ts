/** `cortex acp`: personas and long-lived agents in editors, over the Agent Client Protocol on stdio; and the entries for editors. */
import { type EditorName, editorEntries, editorNames, jsonEntry } from "../../../acp/editors/editor-entries.ts";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { packageFile } from "../../../proc/programs/package-file.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, parseCommandLine, unknownName, usageError } from "../../command/command.ts";

const help = `
Usage: cortex acp [-p PERSONA]
       cortex acp config [zed|jetbrains|neovim] [-p PERSONA] [--json]

Speaks the Agent Client Protocol on stdin and stdout, for editors that start their agents themselves. Each session is a
chain of runs of a persona, which work in the editor's folder, or the conversation with a long-lived agent. It needs the
running cortex, which carries them out: start that with cortex up.

  config               print the entries for the editors' settings
  -p, --persona NAME   the persona of new sessions; others, and agents, can be chosen in the editor
`;

export const command: Command = {
  help,
  run: async (args) => {
    const options = { persona: { type: "string", short: "p" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex acp");
    const [action, editor, ...more] = positionals;
    if (action !== undefined && action !== "config")
      throw usageError(`unknown action "${action}": the only one is config`, "see: cortex acp --help");
    if (more.length > 0) throw usageError(`unexpected "${more.join(" ")}"`, "see: cortex acp --help");
    const { journalPath: journal } = readEnvironment();
    if (values.persona !== undefined) await checkPersona(journal, values.persona);
    if (action === "config") return printEntries(journal, editor, values.persona, values.json ?? false);
    if (values.json) throw usageError("--json belongs to cortex acp config", "see: cortex acp --help");
    if (process.stdin.isTTY)
      process.stderr.write("cortex acp: speaks to an editor on stdin and stdout; entries for it: cortex acp config\n");
    await serve(values.persona ?? "default");
    return exitCodes.done;
  },
};

async function checkPersona(journal: string, name: string): Promise<void> {
  const { loadPersonas } = await import("../../../personas/load.ts");
  const { personas } = loadPersonas(journal);
  if (!personas.has(name)) throw unknownName("persona", name, [...personas.keys()], "cortex acp -p");
}

async function serve(persona: string): Promise<void> {
  const [{ serveStdio }, { acpDeps }] = await Promise.all([
    import("../../../acp/serve-stdio.ts"),
    import("../../acp/acp-connections.ts"),
  ]);
  await using deps = acpDeps(readEnvironment(), persona);
  await serveStdio(deps);
}

function printEntries(
  journal: string,
  editor: string | undefined,
  persona: string | undefined,
  isJson: boolean,
): number {
  const wanted = editor === undefined ? editorNames : [editorNamed(editor)];
  const args = [packageFile("bin/cortex.js"), "acp", ...(persona === undefined ? [] : ["-p", persona])];
  const agent = { command: process.execPath, args, env: { JOURNAL_PATH: journal } };
  if (isJson) {
    const neovim = editorEntries("neovim", agent).map(({ editor: name, entry }) => ({ name, lua: entry }));
    const all = { zed: jsonEntry.zed(agent), jetbrains: jsonEntry.jetbrains(agent), neovim };
    process.stdout.write(`${JSON.stringify(editor === undefined ? all : all[editorNamed(editor)])}\n`);
    return exitCodes.done;
  }
  const blocks = wanted
    .flatMap((name) => editorEntries(name, agent))
    .map(({ editor: name, file, entry }) => `${name} (${file}):\n\n${entry}\n`);
  process.stdout.write(blocks.join("\n"));
  return exitCodes.done;
}

function editorNamed(name: string): EditorName {
  const found = editorNames.find((known) => known === name);
  if (!found) throw unknownName("editor", name, editorNames, "cortex acp config");
  return found;
}
