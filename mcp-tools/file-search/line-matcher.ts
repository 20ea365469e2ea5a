/**
 * Finds the lines that fit a pattern which a model has written. RE2 needs time in proportion to the line, whatever the pattern:
 * (a+)+$ holds nobody up, and no thread is needed. Others are served in between.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { RE2JS } from "re2js";
import { messageOf } from "../../files/errors/error-message.ts";

/** A pattern that can't be read, or needs too long. */
export class PatternError extends Error {
  override name = "PatternError";
}

/**
 * Milliseconds that all that is asked of one matcher may take. A sound pattern goes through all that we read in a third
 * of it.
 */
const budgetMs = 20_000;

/** Time without a turn for others, in ms. */
const turnMs = 20;

/**
 * Instructions of a pattern, as it is compiled. A line of 4,000 characters took 0.7 s at most with one of this size.
 */
const maxInstructions = 500;

export class LineMatcher {
  readonly #pattern: RE2JS;
  readonly #signal: AbortSignal | undefined;
  #leftMs: number;

  private constructor(pattern: RE2JS, leftMs: number, signal: AbortSignal | undefined) {
    this.#pattern = pattern;
    this.#leftMs = leftMs;
    this.#signal = signal;
  }

  /** @throws PatternError for a pattern that can't be read */
  static async of(source: string, { leftMs = budgetMs, signal }: { leftMs?: number; signal?: AbortSignal } = {}) {
    return new LineMatcher(await compiled(source), leftMs, signal);
  }

  /**
   * The indices of the first lines that fit.
   * @throws PatternError when the time is over, or the call was cancelled
   */
  async matching(lines: readonly string[], most: number): Promise<number[]> {
    const found: number[] = [];
    let turn = performance.now();
    for (let at = 0; at < lines.length && found.length < most; at++) {
      if (this.#pattern.test(lines[at] ?? "")) found.push(at);
      const took = performance.now() - turn;
      if (took < turnMs && at < lines.length - 1) continue;
      this.#leftMs -= took;
      await nextTurn();
      if (this.#signal?.aborted) throw new PatternError("the search was cancelled");
      if (this.#leftMs <= 0)
        throw new PatternError("the pattern needs too long: make it simpler, or search fewer files");
      turn = performance.now();
    }
    return found;
  }
}

async function compiled(source: string): Promise<RE2JS> {
  // Large, and needed by searches alone.
  const { RE2JS } = await import("re2js");
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    throw new PatternError(`${messageOf(error)}. ${syntax}`, { cause: error });
  }
  if (pattern.programSize() > maxInstructions)
    throw new PatternError("the pattern is too large: repeat less often, or name fewer alternatives");
  return pattern;
}

const syntax = "It is read as RE2 reads it, without lookaheads, lookbehinds and backreferences";
