/** A day of the journal as people write it. Pure. */
import { dayName } from "./times.ts";
import { dayMs } from "./time.ts";

/** Noon of a day such as 20250120, in this browser's time zone. */
function noonOf(day: string): number {
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)].map(Number) as [number, number, number];
  return new Date(year, month - 1, date, 12).getTime();
}

/** Noon of such a day in UTC, so that no change of the clock makes it another one. */
export const utcNoonOf = (day: string): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)), 12);

/** `20250120` as `Monday, 20 January`. */
export const nameOfDay = (day: string, now: number): string => dayName(noonOf(day), now);

/** All the ways in which somebody may look for a day: its name with the year, `today`, 20250120, 2025-01-20, 20.1.2025. */
export function writingsOfDay(day: string, now: number): string {
  const noon = noonOf(day);
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6)];
  const away = Math.round((noon - new Date(now).setHours(12, 0, 0, 0)) / dayMs);
  const called = away === 0 ? "today" : away === -1 ? "yesterday" : "";
  return [
    dayName(noon, now),
    year,
    called,
    day,
    `${year}-${month}-${date}`,
    `${Number(date)}.${Number(month)}.${year}`,
  ].join(" ");
}
