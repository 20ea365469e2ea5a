/** A month at a glance: for each day and persona, what ran and how, and what is to come. Pure. */
import { occurrencesBetween } from "../calendar/cron.ts";
import { addDays, dayOfWall, endOfDay, instantOf, wallAt, wallOfDay } from "../calendar/local-time.ts";
import type { Scheduled } from "../calendar/scheduled.ts";
import type { HistoryRow } from "./history-rows.ts";

export type MonthCell = {
  persona: string;
  /** Times of the wall clock that are to come, the first ones; null: the daily run. */
  times: (string | null)[];
  /** How many are to come that day. */
  upcoming: number;
  done: number;
  failed: number;
  /** For a facet in which nothing had happened, too. */
  skipped: number;
  /** The occurrences that should have run, and didn't. */
  missed: number;
  /** The occurrences that began well after their time. */
  late: number;
  running: number;
};

export type MonthDay = { day: string; cells: MonthCell[] };

/** More times of a day aren't shown one by one. */
const mostTimes = 24;

export type MonthParts = {
  /** `YYYYMM`. */
  month: string;
  on: Scheduled[];
  history: HistoryRow[];
  timeZone: string;
  now: number;
};

/** Lists the days of a month; null for a text that is not a month. */
export function monthOverview({ month, on, history, timeZone, now }: MonthParts): MonthDay[] | null {
  if (!/^(?!0000)\d{4}(?:0[1-9]|1[0-2])$/.test(month)) return null;
  const days: string[] = [];
  for (let day = `${month}01`; day.startsWith(month); day = addDays(day, 1)) days.push(day);
  const upcoming = upcomingOf({ on, timeZone, now, first: days[0] ?? "", last: days.at(-1) ?? "" });
  return days.map((day) => {
    const ran = history.filter((row) => row.day === day);
    const personas = new Set([...ran.map(({ persona }) => persona), ...(upcoming.get(day)?.keys() ?? [])]);
    const cells = [...personas].toSorted().map((persona): MonthCell => {
      const own = ran.filter((row) => row.persona === persona);
      const count = (state: HistoryRow["state"]) => own.filter((row) => row.state === state).length;
      const times = upcoming.get(day)?.get(persona) ?? [];
      return {
        persona,
        times: times.slice(0, mostTimes),
        upcoming: times.length,
        done: count("done"),
        failed: count("failed"),
        skipped: count("skipped"),
        missed: own.filter(isMissed).length,
        late: own.filter((row) => isLate(row, timeZone)).length,
        running: count("running"),
      };
    });
    return { day, cells };
  });
}

/** Nothing ran where something should have: all of a day or a time was skipped, or it became too old before it began. */
export const isMissed = ({ state, facet, agent_id }: HistoryRow): boolean =>
  agent_id === null && (state === "failed" || (state === "skipped" && facet === null));

/** Daily runs come one after the other, so that the last may begin hours after midnight. */
const lateMs = { daily: 6 * 3_600_000, atTime: 15 * 60_000 };

/** A run's id is the time at which it was asked for. */
function isLate({ day, time, agent_id }: HistoryRow, timeZone: string): boolean {
  if (agent_id === null) return false;
  if (time === null) return Number(agent_id) - endOfDay(day, timeZone) > lateMs.daily;
  const wall = wallOfDay(day) + (Number(time.slice(0, 2)) * 60 + Number(time.slice(2))) * 60_000;
  return Number(agent_id) - instantOf(wall, timeZone) > lateMs.atTime;
}

type Upcoming = Map<string, Map<string, (string | null)[]>>;

function upcomingOf(of: { on: Scheduled[]; timeZone: string; now: number; first: string; last: string }): Upcoming {
  const { on, timeZone, now, first, last } = of;
  const upcoming: Upcoming = new Map();
  const add = (day: string, persona: string, time: string | null) => {
    const cells = upcoming.get(day) ?? new Map<string, (string | null)[]>();
    upcoming.set(day, cells.set(persona, [...(cells.get(persona) ?? []), time]));
  };
  const from = Math.max(now, instantOf(wallOfDay(first), timeZone) - 1);
  const to = endOfDay(last, timeZone) - 1;
  const today = dayOfWall(wallAt(now, timeZone));
  for (const { name, cron } of on) {
    if (cron) for (const { day, time } of occurrencesBetween(cron, from, to, timeZone)) add(day, name, time);
    // A daily run is about a day, and comes when that is over.
    else for (let day = first > today ? first : today; day <= last; day = addDays(day, 1)) add(day, name, null);
  }
  return upcoming;
}
