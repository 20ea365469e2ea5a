/** The schedule in words: when something comes next, how it went last, what a day of the month shows. Pure. */
import { clockOf, dayKey } from "./times.ts";
import { dayMs } from "./time.ts";

type State = "running" | "done" | "failed" | "skipped";

export type ScheduledRun = {
  day: string;
  time: string | null;
  persona: string;
  facet: string | null;
  state: State;
  attempts: number;
  agent_id: string | null;
  reason: string | null;
  at: string;
};

export type DayCell = {
  upcoming: number;
  done: number;
  failed: number;
  skipped: number;
  missed: number;
  late: number;
  running: number;
};

/** The mark of a day of a strip: its worst. */
export type DayMark = "failed" | "missed" | "late" | "running" | "done" | "to come" | "none";

export function dayMark(cell: DayCell | undefined): DayMark {
  if (cell === undefined) return "none";
  const { failed, missed, late, running, done, upcoming } = cell;
  if (missed > 0) return "missed";
  if (failed > 0) return "failed";
  if (running > 0) return "running";
  if (late > 0) return "late";
  if (done > 0) return "done";
  return upcoming > 0 ? "to come" : "none";
}

/** Nothing ran where something should have; a facet in which nothing had happened isn't missed. */
export const isMissed = ({ state, facet, agent_id }: ScheduledRun): boolean =>
  agent_id === null && (state === "failed" || (state === "skipped" && facet === null));

/** The rows of one facet as days. */
export function cellsOfFacet(rows: readonly ScheduledRun[], facet: string): Map<string, DayCell> {
  const cells = new Map<string, DayCell>();
  for (const row of rows) {
    if (row.facet !== facet) continue;
    const none = { upcoming: 0, done: 0, failed: 0, skipped: 0, missed: 0, late: 0, running: 0 };
    const cell = cells.get(row.day) ?? none;
    cells.set(row.day, {
      ...cell,
      [row.state]: cell[row.state] + 1,
      missed: cell.missed + (isMissed(row) ? 1 : 0),
    });
  }
  return cells;
}

/** The rows that came last, of all facets together; those with nothing to do are left out. */
export function lastGroup(rows: readonly ScheduledRun[]): ScheduledRun[] {
  const real = rows.filter((row) => row.state !== "skipped" || isMissed(row));
  const [newest] = real;
  return newest ? real.filter(({ day, time }) => day === newest.day && time === newest.time) : [];
}

/** When something comes: `10:00` today, `tomorrow 07:30`, `Fri 08:00` this week, `1 Feb 09:00`. */
export function nextWords(iso: string, now: number, timeZone: string): string {
  const at = Date.parse(iso);
  const clock = clockOf(at, timeZone);
  const key = dayKey(at, timeZone);
  if (key === dayKey(now, timeZone)) return clock;
  if (key === dayKey(now + dayMs, timeZone)) return `tomorrow ${clock}`;
  const options: Intl.DateTimeFormatOptions =
    at - now < 6 * dayMs ? { weekday: "short" } : { day: "numeric", month: "short" };
  return `${new Date(at).toLocaleDateString("en-GB", { ...options, timeZone }).replace("Sept", "Sep")} ${clock}`;
}

/** The days of the next times, each once: `tomorrow, Wednesday, Thursday`. */
export function nextDays(times: readonly string[], now: number, timeZone: string): string {
  const names = times.map((iso) => {
    const at = Date.parse(iso);
    const key = dayKey(at, timeZone);
    if (key === dayKey(now, timeZone)) return `today ${clockOf(at, timeZone)}`;
    if (key === dayKey(now + dayMs, timeZone)) return "tomorrow";
    const options: Intl.DateTimeFormatOptions =
      at - now < 6 * dayMs ? { weekday: "long" } : { day: "numeric", month: "long" };
    return new Date(at).toLocaleDateString("en-GB", { ...options, timeZone });
  });
  return [...new Set(names)].slice(0, 3).join(", ");
}

/** How often something comes in thirty days, by its next times; null: that can't be told by one. */
export function timesAMonth(times: readonly string[]): number | null {
  const [first, last] = [times[0], times.at(-1)].map((iso) => (iso === undefined ? Number.NaN : Date.parse(iso)));
  if (first === undefined || last === undefined || !(last > first)) return null;
  return Math.round((30 * dayMs * (times.length - 1)) / (last - first));
}

/** How missed times are handled, as the setting says it: `run-once`, `skip`, `run-within: 90`. */
export function missedWords(setting: string): string {
  const [, minutes] = /^run-within: *(\d+(?:\.\d+)?)$/.exec(setting) ?? [];
  if (minutes !== undefined) return `run once, at most ${minutes} minutes late`;
  return setting === "skip" ? "left out" : "run once";
}

/** `20250119` as `19 January`. */
export function dayWords(day: string): string {
  const at = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)));
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
}

/** `202501` as `January 2025`. */
export function monthWords(month: string): string {
  const at = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4, 6)) - 1, 1);
  return new Date(at).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
}

/** The month so many later. */
export function monthBy(month: string, by: number): string {
  const date = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(4, 6)) - 1 + by, 1));
  return `${date.getUTCFullYear()}${String(date.getUTCMonth() + 1).padStart(2, "0")}`;
}

/** A strip for those who don't see it: `January 2025: done on 13 days, failed on 20, to come on 11`. */
export function stripWords(month: string, marks: readonly { day: string; mark: DayMark }[]): string {
  const of = (mark: DayMark) => marks.filter((one) => one.mark === mark).map(({ day }) => String(Number(day.slice(6))));
  const counted = (mark: DayMark, days: readonly string[]) =>
    `${mark} on ${days.length > 5 ? `${days.length} days` : `the ${days.join(", ")}`}`;
  const parts = (["done", "late", "failed", "missed", "running", "to come"] as const)
    .map((mark) => [mark, of(mark)] as const)
    .filter(([, days]) => days.length > 0)
    .map(([mark, days]) => counted(mark, days));
  return `${monthWords(month)}: ${parts.join(", ") || "nothing"}`;
}
