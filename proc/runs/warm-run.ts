/**
 * A run's process that was started before there was a run. It waits for its first line. Whoever renames its folder has
 * taken it, which can happen only once, and the first line makes it the run's: both may be repeated at will.
 */
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const mark = "warm";

/** Says of a prepared folder that its process is started ahead of its run. */
export const markWarm = (folder: string) => writeFileSync(join(folder, mark), "", { mode: 0o600 });

/** Whether its process was started ahead of its run, and hasn't been told of one yet. */
export function isWaitingForRun(folder: string): boolean {
  return existsSync(join(folder, mark)) && !existsSync(join(folder, "in", "1"));
}

/**
 * Makes a waiting process that of a run, but for its first line.
 * @param to the folder of the run's attempt; must not be there yet
 */
export const takeWarm = (folder: string, to: string) => renameSync(folder, to);
