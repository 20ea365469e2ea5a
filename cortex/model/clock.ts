/** The port to time: the system's, or that of a simulation. */
import type { Moment } from "../../bus/claims/lease-validity.ts";

export type Clock = {
  now: () => Moment;
  /** Does something after so many ms, unless it is disposed of. It keeps no program from ending. */
  later: (ms: number, what: () => void) => Disposable;
};

export const systemClock: Clock = {
  now: () => ({ wall: Date.now(), steady: performance.now() }),
  later(ms, what) {
    const timer = setTimeout(what, ms).unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** Resolves after so many ms. */
export const pause = (clock: Clock, ms: number) => new Promise<void>((resolve) => void clock.later(ms, resolve));
