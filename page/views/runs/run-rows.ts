/** Runs as rows: a line for each day before its runs. Pure. */
import { dayKey, dayName } from "../../words/time/times.ts";

type Dated = { id: string; requested_at: string; cost_usd: number | null };

export type DayRow = { kind: "day"; key: string; name: string; costUsd: number };
export type ListRow<Run> = DayRow | { kind: "run"; run: Run };

/**
 * Makes the rows of runs that are sorted by when they were asked for, newest first. The sum of a day is that of the runs that are
 * listed. Rows of runs that grew in place grow in place too: a hundred thousand of them, put together anew at each page
 * that is read, would hold up what is scrolled.
 */
export function dayRows<Run extends Dated>(
  timeZone?: string,
): (listed: { readonly all: readonly Run[] }, now: number) => ListRow<Run>[] {
  const dated = new WeakMap<Run, { day: string; at: number }>();
  const datesOf = (run: Run) => {
    const known = dated.get(run);
    if (known) return known;
    const at = Date.parse(run.requested_at);
    const made = { day: dayKey(at, timeZone), at };
    dated.set(run, made);
    return made;
  };
  let made: { of: readonly Run[]; today: string; rows: ListRow<Run>[]; count: number; day: DayRow | undefined };
  const anew = (of: readonly Run[], today: string) => ({ of, today, rows: [], count: 0, day: undefined });
  return ({ all }, now) => {
    const today = dayKey(now, timeZone);
    if (made?.of !== all || made.today !== today) made = anew(all, today);
    for (; made.count < all.length; made.count++) {
      const run = all[made.count]!;
      const { day: key, at } = datesOf(run);
      if (made.day?.key !== key) {
        made.day = { kind: "day", key, name: dayName(at, now, timeZone), costUsd: 0 };
        made.rows.push(made.day);
      }
      made.day.costUsd += run.cost_usd ?? 0;
      made.rows.push({ kind: "run", run });
    }
    return made.rows;
  };
}
