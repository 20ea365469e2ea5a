/** Ends a run's process that nobody is interested in any more, and all that belongs to it. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { endOfRun } from "./life-line.ts";
import { recordStop, signalRun, sweepRun } from "./run.ts";

const askEveryMs = 20;

/** Resolves when nothing of it is left. One that is only being born is waited for. */
export async function endRun(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  recordStop(folder, "not needed");
  const ended = endOfRun(folder, new AbortController().signal).then(() => true);
  while (!signalRun(folder, "SIGKILL")) if (await Promise.race([ended, delay(askEveryMs, false)])) break;
  await ended;
  await sweepRun(folder);
}
