/** Waits for what only looking again can tell. */
import { setTimeout as delay } from "node:timers/promises";

/**
 * Asks again and again until the answer is yes.
 * @throws Error after so many ms
 */
export async function until(ask: () => boolean, what: string, ms = 60_000): Promise<void> {
  for (const end = performance.now() + ms; !ask(); await delay(5))
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${what}`);
}
