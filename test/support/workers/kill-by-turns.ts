/** Kills workers with -9, one after the other, and starts each again. */
import { setTimeout as delay } from "node:timers/promises";

export type Victim = { kill: () => Promise<void>; start: () => Promise<void> };

export type Turns = {
  /** Milliseconds for which nobody is killed: around this. */
  everyMs: number;
  /** For how long the next one stays away, in ms. */
  downMs: () => number;
  /** From 0 to 1. */
  roll: () => number;
};

/** Until it is stopped: then all are there. Resolves with how many were killed. */
export function killByTurns(victims: Victim[], { everyMs, downMs, roll }: Turns): { stop: () => Promise<number> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const wait = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
  let kills = 0;
  const killing = (async () => {
    while (!signal.aborted) {
      await wait(everyMs * (0.5 + roll()));
      if (signal.aborted) return;
      const victim = victims[kills++ % victims.length] as Victim;
      await victim.kill();
      await wait(downMs());
      await victim.start();
    }
  })();
  // Whoever stops it hears of it, not the process.
  killing.catch(() => {});
  return {
    async stop() {
      stopping.abort();
      await killing;
      return kills;
    },
  };
}
