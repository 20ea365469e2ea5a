/** Notices a run that goes in a circle: the same call again and again, or the same few calls in the same order. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../protocol/json/canonical-json.ts";

/** The longest circle that is looked for, in calls, and how often in a row makes it one. */
const longestCircle = 4;
const rounds = 3;
/** Runs whose calls are remembered: the one that was silent longest goes first. */
const mostRuns = 1000;

export class LoopDetector {
  /** Of each run its latest calls, hashed, the newest last. */
  readonly #calls = new Map<string, string[]>();

  /**
   * Counts a call. A circle is told once: counting begins anew behind it.
   * @param limit so many equal calls in a row are one
   * @returns what goes round, for a person to read; null: nothing does
   */
  add(run: string, tool: string, args: unknown, limit: number): string | null {
    const content = canonicalJson([tool, args ?? {}]);
    const calls = [...(this.#calls.get(run) ?? []), createHash("sha256").update(content).digest("base64")];
    const circle = circleIn(calls, limit);
    this.#calls.delete(run);
    this.#calls.set(run, circle === null ? calls.slice(-Math.max(limit, longestCircle * rounds)) : []);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > mostRuns && oldest !== undefined) this.#calls.delete(oldest);
    return circle;
  }
}

/** Pure. @param calls the newest last */
export function circleIn<Call>(calls: readonly Call[], limit: number): string | null {
  if (calls.length >= limit && isRepeated(calls.slice(-limit), 1)) return `the same call ${limit} times in a row`;
  for (let length = 2; length <= longestCircle; length++) {
    const latest = calls.slice(-length * rounds);
    // Equal calls alone are counted above.
    if (latest.length === length * rounds && isRepeated(latest, length) && !isRepeated(latest, 1))
      return `the same ${length} calls ${rounds} times in a row`;
  }
  return null;
}

const isRepeated = <Call>(calls: readonly Call[], length: number): boolean =>
  calls.every((call, index) => call === calls[index % length]);
