/** `cortex backup`: the journal as one file, consistent though everything runs. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, CommandError, parseCommandLine, usageError } from "../../command/command.ts";
import { isBelow, makeBackup } from "../../backup/make-backup.ts";
import { shellQuoted } from "../../command/layout/shell-quoted.ts";

const help = `
Usage: cortex backup FILE [--without-state] [--json]

Copies the journal into FILE, a .tar.gz that only you may read: notes, runs, agents, settings with their secrets, and
.state (accepted work that isn't done: waiting requests, inboxes, the position of schedules). Cortex may be running;
its bus pauses while its store is copied. The backup leaves out .run (addresses, tokens, logs) and
links that lead out of the journal. The disk of FILE needs room for a second copy of the journal.

  --without-state   leave out .state: a journal restored from it does none of the work accepted before

See also: cortex restore
`;

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, "without-state": { type: "boolean" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex backup", 1);
    const [name] = positionals;
    if (name === undefined) throw usageError("FILE is missing", "for example: cortex backup journal.tar.gz");
    const { journalPath: journal, natsUrl } = readEnvironment();
    const file = resolve(name);
    checkPlaces(journal, file);
    const backup = await makeBackup(journal, file, !values["without-state"]);
    const { manifest, files, pausedMs, leftOut } = backup;
    const bytes = statSync(file).size;
    const time = new Date(manifest.ts).toISOString();
    if (values.json) {
      const document = { ok: true, path: file, files, bytes, paused_ms: pausedMs, left_out: leftOut, ...manifest };
      process.stdout.write(`${JSON.stringify(document)}\n`);
      return exitCodes.done;
    }
    const { waiting, running } = manifest;
    const lines = [
      `${file}: ${files} files of ${journal}, ${bytes} bytes, as of ${time}`,
      manifest.with_state
        ? `  with accepted work that isn't done (${running} runs, ${waiting} waiting requests). A journal restored from it continues that work, even if it has been done here by then`
        : "  without accepted work that isn't done: a journal restored from it does none of it",
      ...(pausedMs > 0 ? [`  the bus stood still for ${pausedMs} ms`] : []),
      ...(natsUrl === undefined ? [] : ["  not in it: what the bus of NATS_URL holds"]),
      ...(leftOut.length === 0 ? [] : [`  left out, not a file or a link out of the journal: ${leftOut.join(", ")}`]),
      `  to restore it: cortex restore ${shellQuoted(file)} FOLDER`,
    ];
    process.stdout.write(`${lines.join("\n")}\n`);
    return exitCodes.done;
  },
};

/** @throws CommandError */
function checkPlaces(journal: string, file: string): void {
  const refuse = (message: string, hint: string) => new CommandError("config", message, hint, exitCodes.usage);
  if (!existsSync(journal)) throw refuse(`there is no journal at ${journal}`, "export JOURNAL_PATH=…, its path");
  if (!existsSync(dirname(file))) throw refuse(`there is no folder ${dirname(file)}`, `mkdir -p ${dirname(file)}`);
  if (existsSync(file)) throw refuse(`${file} exists already: no file is overwritten`, "name another file");
  if (isBelow(realpathSync(journal), realpathSync(dirname(file))))
    throw refuse(`${file} is inside the journal`, "name a file elsewhere, best on another disk");
}
