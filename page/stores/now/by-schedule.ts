/** Runs of a schedule as one row: a night of it is one thing to look at. Pure. */
import type { RunRow } from "./now-store.ts";

export type OfSchedule = { schedule: string; runs: [RunRow, ...RunRow[]] };

/** Runs in their order, those of a schedule together, in the place of the first of them. */
export function bySchedule(runs: readonly RunRow[]): (RunRow | OfSchedule)[] {
  const known = new Map<string, OfSchedule>();
  return runs.flatMap((run): (RunRow | OfSchedule)[] => {
    const { schedule } = run;
    if (schedule === null) return [run];
    const folded = known.get(schedule);
    folded?.runs.push(run);
    if (folded) return [];
    const first: OfSchedule = { schedule, runs: [run] };
    known.set(schedule, first);
    return [first];
  });
}
