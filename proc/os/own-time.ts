/** Time in which this process was itself at work. Who is held up (a starved machine, a debugger, a suspended laptop) hasn't had the time to hear an answer, and must not take that for silence. */
import { setTimeout as delay } from "node:timers/promises";

const tickMs = 100;

/** Resolves with false when so much time has passed here, however long a tick took. @param ms in whole ticks of 100 ms */
export async function ownTime(ms: number, signal: AbortSignal): Promise<false> {
  for (let left = ms; left > 0 && !signal.aborted; left -= tickMs)
    await delay(tickMs, undefined, { signal }).catch(() => {});
  return false;
}
