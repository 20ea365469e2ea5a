/** A run's clock and random numbers, handed in so that tests need not wait. */
import { setTimeout as wait } from "node:timers/promises";

export type Clock = {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Waits; rejects at once when the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Calls back once, unless it is disposed of before. */
  after: (ms: number, act: () => void) => Disposable;
  /** From 0 to 1, 1 excluded. */
  random: () => number;
};

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => wait(ms, undefined, { signal }),
  after: (ms, act) => {
    const timer = setTimeout(act, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  random: Math.random,
};
