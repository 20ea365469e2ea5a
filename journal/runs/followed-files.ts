/** The files of a journal's runs, for whoever follows runs over the bus. */
import { RunReader } from "./read-run.ts";
import { runState } from "./run-files.ts";

/** The journal's files, as `followRun` reads them. */
export const followedFiles = (journal: string) => ({
  fileOf: (agentId: string) => new RunReader(journal, agentId),
  isClosed: (agentId: string) => runState(journal, agentId) === "ended",
});
