/** `cortex restore`: a journal from what `cortex backup` has made. */
import { resolve } from "node:path";
import { readEnvironment } from "../../../proc/programs/environment.ts";
import { exitCodes } from "../../../protocol/runs/exit-codes.ts";
import { type Command, CommandError, parseCommandLine, usageError } from "../../command/command.ts";
import { RestoreError, restoreBackup } from "../../backup/restore-backup.ts";
import { shellQuoted } from "../../command/layout/shell-quoted.ts";

const help = `
Usage: cortex restore FILE [FOLDER] [--without-state] [--json]

Restores a backup into FOLDER (default: JOURNAL_PATH), which must be missing or empty. It starts nothing: the
next cortex up on it continues the work that was accepted when the backup was made. If the original journal still runs,
that work would be done twice: restore without it.

  --without-state   leave out accepted work that isn't done: runs in progress are ended, waiting messages dropped
`;

export const command: Command = {
  help,
  run: async (args) => {
    const options = { json: { type: "boolean" }, "without-state": { type: "boolean" } } as const;
    const { values, positionals } = parseCommandLine(args, options, "cortex restore", 2);
    const [file, to] = positionals;
    if (file === undefined) throw usageError("FILE is missing", "for example: cortex restore journal.tar.gz ~/journal");
    const folder = to === undefined ? readEnvironment().journalPath : resolve(to);
    const restored = await restore(resolve(file), folder, !values["without-state"]);
    const { manifest, withState, runs, messages } = restored;
    if (values.json) {
      const document = { ok: true, path: folder, from: manifest.from, ts: manifest.ts, with_state: withState };
      process.stdout.write(`${JSON.stringify({ ...document, waiting: manifest.waiting, runs, messages })}\n`);
      return exitCodes.done;
    }
    const time = new Date(manifest.ts).toISOString();
    process.stdout.write(
      `${[
        `${folder}: the journal of ${manifest.from}, as of ${time}`,
        withState
          ? `  cortex up goes on with what had been accepted then: ${runs} runs in progress, ${manifest.waiting} requests that waited. What has run since in ${manifest.from} would run once more`
          : `  without what had been accepted: ${runs} runs in progress are ended, ${messages} waiting messages dropped, requests that waited are lost`,
        "  lost: what came after the backup; addresses and tokens of .run, which are made anew",
        `  start it: JOURNAL_PATH=${shellQuoted(folder)} cortex up`,
      ].join("\n")}\n`,
    );
    return exitCodes.done;
  },
};

async function restore(file: string, folder: string, withState: boolean) {
  try {
    return await restoreBackup(file, folder, withState);
  } catch (error) {
    if (!(error instanceof RestoreError)) throw error;
    const hint = "name a file that cortex backup has made, and a folder that isn't there yet";
    throw new CommandError("config", error.message, hint, exitCodes.usage, { cause: error });
  }
}
