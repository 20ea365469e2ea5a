/** `cortex runs share`: a run as one page, to be given to others. Needs no bus. */
import { writeFileSync } from "node:fs";
import { usableSettings } from "../../journal/config/settings.ts";
import { readEnvironment } from "../../proc/programs/environment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { shareRun } from "../../web/machine/share/share-run.ts";
import { WorkspaceError } from "../../workspace/records/workspace-error.ts";
import { CommandError, parseCommandLine } from "../command/command.ts";
import { writeOut } from "../command/layout/output.ts";
import { findRun } from "./find-run.ts";

export async function shareCommand(args: string[]): Promise<number> {
  const options = { output: { type: "string", short: "o" } } as const;
  const { values, positionals } = parseCommandLine(args, options, "cortex runs", 1);
  const { journalPath: journal, timeZone } = readEnvironment();
  const settings = () => usableSettings(journal).settings;
  const { html } = await shareRun({ journal, settings, timeZone }, findRun(journal, positionals[0])).catch(refused);
  if (values.output === undefined) await writeOut(html);
  else writeFileSync(values.output, html, { mode: 0o600 });
  return exitCodes.done;
}

function refused(error: unknown): never {
  if (!(error instanceof WorkspaceError)) throw error;
  throw new CommandError("refused", error.message, error.hint ?? "see: cortex runs list", exitCodes.refused);
}
