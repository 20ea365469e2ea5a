/** The load that both ways get, and what is counted afterwards. */
import { Engine } from "../../test/simulation/engine.ts";
import { effectsIn, repeated } from "../../test/support/workers/effects.ts";
import type { Turns } from "../../test/support/workers/kill-by-turns.ts";

export type Load = {
  runs: number;
  /** Milliseconds after which a worker is killed again. */
  everyMs: number;
  seed: number;
};

export type Score = {
  runs: number;
  finished: number;
  startedTwice: number;
  doneTwice: number;
  lost: number;
  kills: number;
  seconds: number;
};

/** How many runs a worker has at once, and its lease: the same for both. */
export const capacity = 3;
export const leaseSeconds = 2;

/** Seconds that the work of a run takes: less than a lease, to more. */
export const workSeconds = [0.2, 1, 3] as const;
export const secondsOf = (number: number) => workSeconds[number % workSeconds.length] as number;

/** A killed worker comes back at once, or after its lease has lapsed. */
export function turnsOf({ everyMs, seed }: Load): Turns {
  const engine = new Engine(seed);
  const roll = () => engine.random();
  return { everyMs, roll, downMs: () => roll() * 2 * leaseSeconds * 1000 };
}

/** So long both ways may take for all that is left. */
export const longestMs = ({ runs }: Load) => 120_000 + runs * 2000;

/** @param finished the runs whose end was told */
export function scoreOf(
  { runs }: Load,
  file: string,
  finished: ReadonlySet<string>,
  rest: Pick<Score, "kills" | "seconds">,
): Score {
  const { starts, done } = effectsIn(file);
  const startsOf = new Map<string, number>();
  for (const [name, times] of starts) {
    const run = name.split("/")[0] ?? "";
    startsOf.set(run, (startsOf.get(run) ?? 0) + times);
  }
  return {
    runs,
    finished: finished.size,
    startedTwice: repeated(startsOf).length,
    doneTwice: repeated(done).length,
    lost: runs - finished.size,
    ...rest,
  };
}
