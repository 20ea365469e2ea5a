/** News of Now since it was asked for: the answer may be older, and they are put behind it. Pure. */
import type { ApiRecord } from "../../api/client.ts";
import { isAlive } from "../../words/runs/run-states.ts";

export type RunRow = ApiRecord<"RunRow">;
export type Now = ApiRecord<"Now">;

export class NowNews {
  /** Each run as it was heard of last. */
  readonly #runs = new Map<string, RunRow>();
  readonly #putAway = new Set<string>();
  #problems: Now["health"] | null = null;

  /** Now is asked for. */
  ask(): void {
    this.#runs.clear();
    this.#putAway.clear();
    this.#problems = null;
  }

  hear(row: RunRow): void {
    this.#runs.set(row.id, row);
  }

  hearProblems(problems: Now["health"]): void {
    this.#problems = problems;
  }

  hearPutAway(run: string): void {
    this.#putAway.add(run);
  }

  /** The answer to what was asked, with what was heard since. */
  take(answer: Now): Now {
    let now = answer;
    for (const row of this.#runs.values()) now = withRun(now, row) ?? now;
    for (const run of this.#putAway) now = withoutFailed(now, run);
    return this.#problems === null ? now : { ...now, health: this.#problems };
  }
}

/** Now after a run has changed; null: it may be one of those that aren't listed. */
export function withRun(now: Now, row: RunRow): Now | null {
  const others = now.working.filter(({ id }) => id !== row.id);
  const isKnown = others.length < now.working.length;
  const totalsWith = (more: number) => ({ ...now.totals, working: Math.max(0, now.totals.working + more) });
  if (!isAlive(row.state)) return isKnown ? { ...now, working: others, totals: totalsWith(-1) } : now;
  if (isKnown) return { ...now, working: now.working.map((known) => (known.id === row.id ? row : known)) };
  if (others.length < now.totals.working) return null;
  return { ...now, working: [row, ...others], totals: totalsWith(1) };
}

/** Now after a failed run was put away. */
export function withoutFailed(now: Now, run: string): Now {
  const failed = now.failed.filter(({ id }) => id !== run);
  return { ...now, failed, totals: { ...now.totals, failed: now.totals.failed - (now.failed.length - failed.length) } };
}
