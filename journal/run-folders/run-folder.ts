/** The folder that a run keeps beside its file until its finalization is complete: `.run/runs/<id>/`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isFolder } from "../../files/folder-entries.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { runtime } from "../config/paths.ts";
import { dropSecrets } from "./run-secrets.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** The folder of all runs. Its `heartbeat` stands two folders above a run's attempt, where the shim looks for it. */
export const liveRunsFolder = (journal: string) => runtime(journal, "runs");

/** The folder of one run. */
export const runFolder = (journal: string, agentId: string) => join(liveRunsFolder(journal), agentId);

/** The folder of one attempt: the process's own. */
export const attemptFolder = (journal: string, agentId: string, attempt: number) =>
  join(runFolder(journal, agentId), String(attempt));

/** Processes that wait for a run, each with a folder that becomes an attempt's: as deep below the heartbeat as that. */
export const warmFolder = (journal: string) => join(liveRunsFolder(journal), "pool");

/** Says that somebody watches over the runs. It gets its time from the clock that also stamps what the shim compares it with. */
export function beatRunsFolder(journal: string): void {
  const path = join(liveRunsFolder(journal), "heartbeat");
  try {
    writeFileSync(path, "", { mode: 0o600 });
  } catch {
    mkdirSync(liveRunsFolder(journal), { recursive: true, mode: 0o700 });
    writeFileSync(path, "", { mode: 0o600 });
  }
}

/** The ids of runs whose finalization is pending. */
export function liveRuns(journal: string): string[] {
  let names: string[];
  try {
    names = readdirSync(liveRunsFolder(journal));
  } catch {
    return [];
  }
  return names
    .filter((name) => AgentId.safeParse(name).success && isFolder(join(liveRunsFolder(journal), name)))
    .toSorted();
}

/** The attempts that a run has a folder of. */
export function attemptsOf(journal: string, agentId: string): number[] {
  const folder = runFolder(journal, agentId);
  return isFolder(folder)
    ? readdirSync(folder)
        .filter((name) => /^\d{1,9}$/.test(name))
        .map(Number)
    : [];
}

/** Makes the folder of a run. */
export function makeRunFolder(journal: string, agentId: string): void {
  mkdirSync(runFolder(journal, agentId), { recursive: true, mode: 0o700 });
}

/** Keeps a JSON document of a run. */
export async function keepDocument(journal: string, agentId: string, name: string, value: unknown): Promise<void> {
  await replaceFile(join(runFolder(journal, agentId), `${name}.json`), JSON.stringify(value));
}

/** A JSON document of a run, or undefined. */
export function keptDocument(journal: string, agentId: string, name: string): unknown {
  try {
    return parseOwnJson(readFileSync(join(runFolder(journal, agentId), `${name}.json`), "utf8"));
  } catch {
    return undefined;
  }
}

/** Removes a run's folder: its finalization is complete. Its secrets first: while its folder is there, what is left is found again. */
export function dropRunFolder(journal: string, agentId: string): void {
  dropSecrets(journal, agentId);
  rmSync(runFolder(journal, agentId), { recursive: true, force: true });
}
