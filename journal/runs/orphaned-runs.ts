/**
 * Files in progress that nobody owns: of a journal that was put back without `.state`, or from elsewhere. A run has its
 * folder under `.run/runs` before it has a file, and until the file has its final name; a copy of another host's has its mark.
 */
import { existsSync } from "node:fs";
import { isRuntimeOwn } from "../config/folder-mark.ts";
import { activeFiles } from "./active-runs.ts";
import { isMirrored, isOwnRun } from "./mirrored-run.ts";
import { liveRunsFolder } from "../run-folders/run-folder.ts";
import { runState } from "./run-files.ts";
import { runsWithSecrets } from "../run-folders/run-secrets.ts";

/**
 * Whether no cortex has the run, nor will have it: where `.run/runs` is missing, or is that of another journal, the next start
 * takes up or ends all files in progress.
 */
export function isOrphaned(journal: string, agentId: string): boolean {
  if (!existsSync(liveRunsFolder(journal)) || !isRuntimeOwn(journal)) return false;
  if (isOwnRun(journal, agentId) || isMirrored(journal, agentId)) return false;
  // The file last: a run that ends meanwhile has its final name before it loses its folder.
  return !runsWithSecrets(journal).includes(agentId) && runState(journal, agentId) === "active";
}

/** Their ids, oldest first. */
export const orphanedRuns = (journal: string): string[] =>
  activeFiles(journal).filter((agentId) => isOrphaned(journal, agentId));
