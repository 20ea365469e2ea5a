/** Runs as rows: a line for each day before its runs. Pure. */
import { dayKey, dayName } from "../../words/time/times.ts";

type Dated = { id: string; requested_at: string; cost_usd: number | null };

export type DayRow = { kind: "day"; key: string; name: string; costUsd: number };
export type ListRow<Run> = DayRow | { kind: "run"; run: Run };

/**
 * Makes the rows of runs that are sorted by when they were asked for. The sum of a day is that of the runs that are listed. A run's
 * row and day are worked out once: a hundred thousand of them are put together anew at each page that is read.
 */
export function dayRows<Run extends Dated>(timeZone?: string): (runs: readonly Run[], now: number) => ListRow<Run>[] {
  const known = new WeakMap<Run, { day: string; at: number; row: ListRow<Run> }>();
  const placed = (run: Run) => {
    const before = known.get(run);
    if (before) return before;
    const at = Date.parse(run.requested_at);
    const made = { day: dayKey(at, timeZone), at, row: { kind: "run" as const, run } };
    known.set(run, made);
    return made;
  };
  return (runs, now) => {
    const rows: ListRow<Run>[] = [];
    let day: DayRow | undefined;
    for (const run of runs) {
      const { day: key, at, row } = placed(run);
      if (day?.key !== key) {
        day = { kind: "day", key, name: dayName(at, now, timeZone), costUsd: 0 };
        rows.push(day);
      }
      day.costUsd += run.cost_usd ?? 0;
      rows.push(row);
    }
    return rows;
  };
}
