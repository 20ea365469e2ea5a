/** Days as they stand in costs, `20250120`: which ones are shown, and what they are called. Pure. */
import { utcNoonOf } from "../../words/time/day-words.ts";
import { dayMs } from "../../words/time/time.ts";

const keyOf = (ms: number) => new Date(ms).toISOString().slice(0, 10).replaceAll("-", "");

export const addDays = (day: string, count: number): string => keyOf(utcNoonOf(day) + count * dayMs);

/** So many days, the last of them this one. */
export const daysUntil = (last: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => addDays(last, index + 1 - count));

const formats = {
  day: new Intl.DateTimeFormat("en-GB", { day: "numeric", timeZone: "UTC" }),
  month: new Intl.DateTimeFormat("en-GB", { month: "long", timeZone: "UTC" }),
  short: new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" }),
  weekday: new Intl.DateTimeFormat("en-GB", { weekday: "long", timeZone: "UTC" }),
};

/** `Tuesday, 14 January` */
export const longDay = (day: string): string =>
  `${formats.weekday.format(utcNoonOf(day))}, ${formats.day.format(utcNoonOf(day))} ${formats.month.format(utcNoonOf(day))}`;

export const monthName = (day: string): string => formats.month.format(utcNoonOf(day));

/** `6 Jan` at the beginning and where a month begins, else `7`. */
export const tickOf = (day: string, isFirst: boolean): string =>
  isFirst || day.endsWith("01")
    ? `${formats.day.format(utcNoonOf(day))} ${formats.short.format(utcNoonOf(day)).slice(0, 3)}`
    : formats.day.format(utcNoonOf(day));

/** `6 to 20 January`, `29 December to 12 January` */
export function rangeWords(from: string, to: string): string {
  const isSameMonth = from.slice(0, 6) === to.slice(0, 6);
  const begin = isSameMonth ? formats.day.format(utcNoonOf(from)) : `${Number(from.slice(6))} ${monthName(from)}`;
  return `${begin} to ${formats.day.format(utcNoonOf(to))} ${monthName(to)}`;
}

/** Steps of a scale from nothing to at least `most`: two to five of them, each a round number. */
export function scaleOf(most: number): { top: number; steps: number[] } {
  if (!(most > 0)) return { top: 1, steps: [] };
  const rough = most / 3;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((one) => one * unit >= rough) ?? 10) * unit;
  const steps = Array.from({ length: 5 }, (_, index) => (index + 1) * step).filter((one) => one < most * 1.02);
  return { top: most * 1.08, steps };
}
