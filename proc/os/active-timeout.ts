/** A timeout that counts only time in which this process ran. One that was held up (a starved machine, a debugger, a suspended laptop) had no time to receive an answer, and must not take that for silence. */
import { setTimeout as delay } from "node:timers/promises";

const tickMs = 100;

/** Resolves with false after so much active time: each tick counts as 100 ms, however long it took. @param ms in whole ticks of 100 ms */
export async function activeTimeout(ms: number, signal: AbortSignal): Promise<false> {
  for (let left = ms; left > 0 && !signal.aborted; left -= tickMs)
    await delay(tickMs, undefined, { signal }).catch(() => {});
  return false;
}
