/** Sessions of editors go with the runs that they are made of: one that wasn't used for so long, and of which no run is left. */
import { listSessions, removeSession } from "../editor-sessions/session-store.ts";
import { runFile } from "../runs/run-files.ts";

/** @param since in ms: what was used since stays */
export async function sweepSessions(journal: string, since: number): Promise<void> {
  for (const { id, updated, runs } of listSessions(journal))
    if (updated < since && runs.every((run) => runFile(journal, run) === null)) await removeSession(journal, id);
}
