/** Cron expressions of five fields, and their occurrences on a zone's wall clock. Pure. */
import { parse } from "node-cron";
import { addDays, dayOfWall, instantOf, isEven, timeOfWall, wallAt, wallOfDay } from "./local-time.ts";

/** A time that an expression names: its name on the wall clock, which makes it once, and when that is. */
export type Occurrence = { day: string; time: string; at: number };

/** The numbers that each field of an expression names. */
export type CronFields = {
  minutes: number[];
  hours: number[];
  monthDays: ReadonlySet<number>;
  months: ReadonlySet<number>;
  /** From 0, Sunday. */
  weekDays: ReadonlySet<number>;
  /** Both days are restricted, and either will do: crontab(5). */
  isEither: boolean;
};

export type Cron = {
  /** The times of a day that matches, in minutes from midnight. */
  minutes: number[];
  matchesDay: (day: string) => boolean;
};

const minuteMs = 60_000;
/** The longest that any date waits for its next year: 29 February, around 2100. */
const longestDays = 366 * 8;

/** @throws Error saying which field is wrong */
export function readFields(expression: string): CronFields {
  const texts = expression.trim().split(/\s+/);
  if (texts.length !== 5) throw new Error(`expected five fields (minute hour day month weekday), got "${expression}"`);
  const fields = parse(texts.join(" "));
  const numbers = (field: string, values: (number | string)[]) =>
    new Set(
      values.map((value) => {
        if (typeof value === "number") return value;
        throw new Error(`${field}: expected numbers, ranges, lists or steps, got "${value}" in "${expression}"`);
      }),
    );
  return {
    minutes: fields.minute,
    hours: fields.hour,
    months: numbers("month", fields.month),
    monthDays: numbers("day of month", fields.dayOfMonth),
    weekDays: numbers("day of week", fields.dayOfWeek),
    isEither: !texts[2]?.startsWith("*") && !texts[4]?.startsWith("*"),
  };
}

/**
 * node-cron reads the fields. When they come due is worked out here: its own matcher lets a time that comes twice run
 * twice and one that doesn't exist never, and wants day of month and day of week both, where cron takes either.
 * @throws Error saying which field is wrong
 */
export function parseCron(expression: string): Cron {
  const { minutes, hours, months, monthDays, weekDays, isEither } = readFields(expression);
  return {
    minutes: hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute)).toSorted((a, b) => a - b),
    matchesDay: (day) => {
      const date = new Date(wallOfDay(day));
      const [isMonthDay, isWeekDay] = [monthDays.has(date.getUTCDate()), weekDays.has(date.getUTCDay())];
      return months.has(date.getUTCMonth() + 1) && (isEither ? isMonthDay || isWeekDay : isMonthDay && isWeekDay);
    },
  };
}

/**
 * The occurrences after `from` and up to `to`, in order. Times that fall on one instant, since the clock jumped over them, are one
 * occurrence; a time that comes twice is an occurrence the first time.
 */
export function occurrencesBetween(cron: Cron, from: number, to: number, timeZone: string): Occurrence[] {
  if (from >= to) return [];
  const offset = isEven(from, to, timeZone) ? wallAt(to, timeZone) - Math.floor(to / 1000) * 1000 : null;
  const occurrences: Occurrence[] = [];
  const last = dayOfWall(wallAt(to, timeZone));
  for (let day = addDays(dayOfWall(wallAt(from, timeZone)), -1); day <= last; day = addDays(day, 1)) {
    if (!cron.matchesDay(day)) continue;
    for (const minute of cron.minutes) {
      const wall = wallOfDay(day) + minute * minuteMs;
      const at = offset === null ? instantOf(wall, timeZone) : wall - offset;
      if (at <= from || at > to) continue;
      if (occurrences.at(-1)?.at === at) occurrences.pop();
      occurrences.push({ day, time: timeOfWall(wall), at });
    }
  }
  return occurrences;
}

/** When the next occurrence comes, or null when no date ever matches. */
export function nextOccurrence(cron: Cron, after: number, timeZone: string): number | null {
  const today = dayOfWall(wallAt(after, timeZone));
  for (let days = -1; days < longestDays; days++) {
    const day = addDays(today, days);
    if (!cron.matchesDay(day)) continue;
    for (const minute of cron.minutes) {
      const at = instantOf(wallOfDay(day) + minute * minuteMs, timeZone);
      if (at > after) return at;
    }
  }
  return null;
}
