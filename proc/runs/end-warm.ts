/** Ends processes that wait for a run and won't get one. Writes nothing: there may be no room for it. */
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { namesIn } from "../../files/folder-entries.ts";
import { isAlive } from "../processes/identity.ts";
import { birthMs, exitOfRun } from "./exit-fifo.ts";
import { agentOf, signalRun, sweepRun } from "./run.ts";

const askEveryMs = 20;

/**
 * Milliseconds that it may take to end all: the birth of one is awaited, and then its shim looks about it for a few
 * seconds.
 */
export const warmEndsWithinMs = birthMs + 5000;

/** Ends one, and forgets it. Resolves when nothing of it is left. One that is only being born is waited for. */
export async function endWarm(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const over = new AbortController();
  try {
    await Promise.all([exitOfRun(folder, over.signal).then(() => over.abort()), kill(folder, over.signal)]);
  } finally {
    over.abort();
  }
  await sweepRun(folder);
  await rm(folder, { recursive: true, force: true });
}

/** As soon as it has been born, or never when all is over before. */
async function kill(folder: string, over: AbortSignal): Promise<void> {
  while (!signalRun(folder, "SIGKILL") && !hasDied(folder) && !over.aborted) await delay(askEveryMs);
  // As good as deleted: on a full disk its shim would wait for room to write down how it ended.
  await rm(join(folder, "started"), { force: true });
}

function hasDied(folder: string): boolean {
  const agent = agentOf(folder);
  return agent !== null && !isAlive(agent);
}

/**
 * Ends all that wait in a folder, whoever had them started.
 * @throws AggregateError when one couldn't be ended; the others are, then
 */
export async function endAllWarm(folder: string): Promise<void> {
  const ended = await Promise.allSettled(namesIn(folder).map((name) => endWarm(join(folder, name))));
  const reasons = ended.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  if (reasons.length > 0)
    throw new AggregateError(reasons, `what waits for a run couldn't be ended: ${String(reasons[0])}`);
}
