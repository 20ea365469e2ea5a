/** Ends processes that wait for a run and won't get one. */
import { readdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { endRun } from "./end-run.ts";

/** Ends one, and forgets it. */
export async function endWarm(folder: string): Promise<void> {
  await endRun(folder);
  await rm(folder, { recursive: true, force: true });
}

/** Ends all that wait in a folder, whoever had them started. */
export async function endAllWarm(folder: string): Promise<void> {
  await Promise.all(namesIn(folder).map((name) => endWarm(join(folder, name))));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
