/** Local time: when a zone's wall clock shows a time, also one that doesn't exist or comes twice. Pure. */

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The time on a wall clock, in ms as though it were UTC, so that it can be counted with. */
type Wall = number;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Gives the time on a zone's wall clock at an instant, to the second. */
export function wallAt(ts: number, timeZone: string): Wall {
  if (timeZone === "UTC") return Math.floor(ts / 1000) * 1000;
  // The Swedish form of a moment is that of ISO 8601, with a space.
  return Date.parse(`${formatOf(timeZone).format(ts).replace(" ", "T")}Z`);
}

/**
 * The first instant at which the wall clock shows this time. A time that doesn't exist is taken as the first minute that
 * does, which is where the clock jumps to.
 */
export function instantOf(wall: Wall, timeZone: string): number {
  // No zone's clock is further from UTC than this, and none changes twice so soon: these are the offsets on either side.
  const offsets = [wall - dayMs, wall + dayMs].map((ts) => wallAt(ts, timeZone) - ts);
  const candidates = offsets.map((offset) => wall - offset).toSorted((a, b) => a - b);
  const shown = candidates.find((ts) => wallAt(ts, timeZone) === wall);
  if (shown !== undefined) return shown;
  let [before = wall, after = wall] = candidates;
  while (after - before > 1000) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (wallAt(middle, timeZone) >= wall) after = middle;
    else before = middle;
  }
  return after;
}

/** Whether the wall clock is never put forward or back around this time: what it shows and instants differ by one offset. */
export function isEven(from: number, to: number, timeZone: string): boolean {
  const offset = (ts: number) => wallAt(ts, timeZone) - ts;
  // In steps that no change and its undoing fit between.
  for (let ts = from - dayMs; ts < to + dayMs; ts += dayMs) if (offset(ts) !== offset(ts + dayMs)) return false;
  return true;
}

/** A day's midnight on the wall clock. */
export const wallOfDay = (day: string): Wall =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8)));

/** The day that a wall clock shows. */
export const dayOfWall = (wall: Wall): string => new Date(wall).toISOString().slice(0, 10).replaceAll("-", "");

/** The calendar's day so many days later. */
export const addDays = (day: string, days: number): string => dayOfWall(wallOfDay(day) + days * dayMs);

/** When a day is over: the first instant of the next one, whatever the clock shows then. */
export const endOfDay = (day: string, timeZone: string): number => instantOf(wallOfDay(day) + dayMs, timeZone);

/** Whether a day of the calendar has an instant: Samoa had no 30 December 2011. */
export const dayExists = (day: string, timeZone: string): boolean =>
  instantOf(wallOfDay(day), timeZone) < endOfDay(day, timeZone);

/** A time of the wall clock as text, `0915`. */
export const timeOfWall = (wall: Wall): string => new Date(wall).toISOString().slice(11, 16).replace(":", "");

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    const two = "2-digit";
    const fields = { year: "numeric", month: two, day: two, hour: two, minute: two, second: two } as const;
    format = new Intl.DateTimeFormat("sv-SE", { timeZone, ...fields, hourCycle: "h23" });
    formats.set(timeZone, format);
  }
  return format;
}
