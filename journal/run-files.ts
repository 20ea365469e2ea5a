/** Where a run's file stands, and what its name says: `<id>_active.jsonl` is in progress, `<id>.jsonl` has ended. */
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The UTC day of an id, as a folder name. */
export function runDay(agentId: string): string {
  return new Date(Number(agentId)).toISOString().slice(0, 10).replaceAll("-", "");
}

/** The folder with all days of runs. */
export const runsFolder = (journal: string) => join(journal, "runs");

/** The file of a run in progress. */
export const activeFile = (journal: string, agentId: string) =>
  join(runsFolder(journal), runDay(agentId), `${agentId}_active.jsonl`);

/** The file of a run that has ended. */
export const endedFile = (journal: string, agentId: string) =>
  join(runsFolder(journal), runDay(agentId), `${agentId}.jsonl`);

export type RunState = "absent" | "active" | "ended";

/** What the files say of an id. While a run is being closed both names exist: then it has ended. */
export function runState(journal: string, agentId: string): RunState {
  if (existsSync(endedFile(journal, agentId))) return "ended";
  return existsSync(activeFile(journal, agentId)) ? "active" : "absent";
}

/** The id that a file name stands for, or null. */
export function parseRunFileName(name: string): { agentId: string; isActive: boolean } | null {
  const match = /^(\d{13})(_active)?\.jsonl$/.exec(name);
  return match?.[1] ? { agentId: match[1], isActive: match[2] !== undefined } : null;
}
