/** Waits for what a test waits for: asks again and again. */
import { setTimeout as delay } from "node:timers/promises";

const shortestMs = 10;
const longestMs = 100;
/**
 * The rest after a question, as a multiple of its time: one that costs time is asked less often, which leaves most of a
 * core to those who are waited for.
 */
const restsPerAsk = 3;

/**
 * Resolves with the first answer.
 * @param missing what is said when there is none within `ms`
 */
export async function askUntil<T>(
  ask: () => T | Promise<T>,
  missing: () => string,
  ms: number,
): Promise<NonNullable<Exclude<T, false>>> {
  for (const end = performance.now() + ms; ; ) {
    const asked = performance.now();
    const answer = await ask();
    if (answer) return answer as NonNullable<Exclude<T, false>>;
    const now = performance.now();
    if (now > end) throw new Error(`not within ${ms} ms: ${missing()}`);
    await delay(Math.min(longestMs, Math.max(shortestMs, restsPerAsk * (now - asked))));
  }
}
