/** The sums of today's runs: those that ended since midnight, and those at work. By the index alone. */
import type { RecentRuns } from "../../../journal/run-index/recent-runs.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { addDays, endOfDay } from "../../../schedule/calendar/local-time.ts";
import type { RunRow } from "../records/run-records.ts";

export type SumsOfToday = {
  /** How many runs ended, or are at work. */
  runs: number;
  /** How many of them finished or were stopped. */
  done: number;
  /** The part that is known. */
  cost_usd: number;
  is_estimate: boolean;
};

/** When today began, in ms. */
export const midnightOf = (timeZone: string): number => endOfDay(addDays(dayOf(Date.now(), timeZone), -1), timeZone);

export function sumsOfToday(recent: RecentRuns, working: readonly RunRow[], timeZone: string): SumsOfToday {
  const ended = recent.sums(midnightOf(timeZone));
  const active = working.filter(({ ended_at }) => ended_at === null);
  return {
    runs: ended.runs + active.length,
    done: ended.done,
    cost_usd: ended.cost_usd + active.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0),
    is_estimate: ended.is_estimate || active.some((run) => run.cost_is_estimate),
  };
}
