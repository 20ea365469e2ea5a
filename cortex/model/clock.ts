/** The time by which claims are kept: the system's, or that of a simulation. */
import type { Moment } from "../../bus/claims/lease-validity.ts";

export type Clock = {
  now: () => Moment;
  /** Does something after so many ms. It keeps no program from ending. */
  later: (ms: number, what: () => void) => void;
};

export const systemClock: Clock = {
  now: () => ({ wall: Date.now(), steady: performance.now() }),
  later: (ms, what) => void setTimeout(what, ms).unref(),
};
