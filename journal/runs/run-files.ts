/**
 * Where a run's file stands, and what its name says: `<id>_active.jsonl` is in progress, `<id>.jsonl` has ended, and so
 * has `<id>.jsonl.gz`, which was compressed. Of one that was deleted the day's `pruned.jsonl` still knows.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";

/** The UTC day of an id, as a folder name. */
export function runDay(agentId: string): string {
  return new Date(Number(agentId)).toISOString().slice(0, 10).replaceAll("-", "");
}

/** The folder with all days of runs. */
export const runsFolder = (journal: string) => join(journal, "runs");

/** The folder of a run's file. */
export const runFileFolder = (journal: string, agentId: string) => join(runsFolder(journal), runDay(agentId));

/** The file of a run in progress. */
export const activeFile = (journal: string, agentId: string) =>
  join(runFileFolder(journal, agentId), `${agentId}_active.jsonl`);

/** The file of a run that has ended. */
export const endedFile = (journal: string, agentId: string) =>
  join(runFileFolder(journal, agentId), `${agentId}.jsonl`);

/** The same, compressed. Where both stand there, the plain one counts. */
export const compressedFile = (journal: string, agentId: string) => `${endedFile(journal, agentId)}.gz`;

/** The folder of a run's recorded exchanges with models; there is one only for runs with `record`. */
export const callsFolder = (journal: string, agentId: string) =>
  join(runFileFolder(journal, agentId), `${agentId}.calls`);

/** The ids of a day whose files were deleted. */
export const prunedFile = (journal: string, agentId: string) => join(runFileFolder(journal, agentId), "pruned.jsonl");

export type RunState = "absent" | "active" | "ended";

/** Reads the state of a run from its files. While a run is being closed both names exist: then it has ended. */
export function runState(journal: string, agentId: string): RunState {
  if (hasEndedFile(journal, agentId)) return "ended";
  if (existsSync(activeFile(journal, agentId))) return "active";
  // Looked at again: a run may have been closed between the two looks, or compressed, or unpacked.
  return hasEndedFile(journal, agentId) || wasPruned(journal, agentId) ? "ended" : "absent";
}

const hasEndedFile = (journal: string, agentId: string) => {
  const ended = endedFile(journal, agentId);
  return [ended, compressedFile(journal, agentId), ended].some((path) => existsSync(path));
};

/** Whether a run's file was deleted since it was old. Its id stays taken. */
export function wasPruned(journal: string, agentId: string): boolean {
  try {
    return readFileSync(prunedFile(journal, agentId), "utf8").includes(`"agent_id":"${agentId}"`);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** The file that has a run's events, or null. */
export function runFile(journal: string, agentId: string): string | null {
  // The ended file last again: a run that ends between two looks is found, and so is one that is compressed meanwhile.
  const [ended, packed] = [endedFile(journal, agentId), compressedFile(journal, agentId)];
  const paths = [ended, packed, activeFile(journal, agentId), ended, packed];
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The id that a file name stands for, or null. */
export function parseRunFileName(name: string): { agentId: string; isActive: boolean } | null {
  const match = /^(\d{13})(_active\.jsonl|\.jsonl|\.jsonl\.gz)$/.exec(name);
  return match?.[1] ? { agentId: match[1], isActive: match[2] === "_active.jsonl" } : null;
}
