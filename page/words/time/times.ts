/** Times of day and days, as people say them. English, whatever the browser's language is, since all other words are. */
import { dayMs } from "./time.ts";

const language = "en-GB";

const made = new Map<string, Intl.DateTimeFormat>();

/** Making a format takes longer than using it a thousand times. */
function format(options: Intl.DateTimeFormatOptions, timeZone: string | undefined): Intl.DateTimeFormat {
  const key = `${timeZone ?? ""} ${JSON.stringify(options)}`;
  const known = made.get(key);
  if (known) return known;
  const fresh = new Intl.DateTimeFormat(language, { ...options, timeZone });
  made.set(key, fresh);
  return fresh;
}

/** `09:41` */
export function clockOf(ms: number, timeZone?: string): string {
  return format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, timeZone).format(ms);
}

/** `09:14:52` */
export function clockWithSeconds(ms: number, timeZone?: string): string {
  return format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" }, timeZone).format(ms);
}

/** The day as it stands in names of folders, `20250120`, so that days can be compared. */
export function dayKey(ms: number, timeZone?: string): string {
  const parts = format({ year: "numeric", month: "2-digit", day: "2-digit" }, timeZone).formatToParts(ms);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("year")}${part("month")}${part("day")}`;
}

/** `Monday, 20 January`, with the year where it isn't this one. */
export function dayName(ms: number, now: number, timeZone?: string): string {
  const year = isSameYear(ms, now, timeZone) ? undefined : "numeric";
  const text = format({ weekday: "long", day: "numeric", month: "long", year }, timeZone).format(ms);
  return text.includes(",") ? text : text.replace(" ", ", ");
}

/** When something ended: `09:34` today, `Sun` in the last six days, `14 Jan` this year, `14 Jan 2024`. */
export function ageOf(ms: number, now: number, timeZone?: string): string {
  if (dayKey(ms, timeZone) === dayKey(now, timeZone)) return clockOf(ms, timeZone);
  if (ms < now && now - ms < 6 * dayMs) return format({ weekday: "short" }, timeZone).format(ms);
  const year = isSameYear(ms, now, timeZone) ? undefined : "numeric";
  return format({ day: "numeric", month: "short", year }, timeZone).format(ms).replace("Sept", "Sep");
}

/** When, in a sentence: `today, 09:12`, `yesterday, 08:10`, `14 Jan, 08:10`. */
export function whenOf(ms: number, now: number, timeZone?: string): string {
  const key = dayKey(ms, timeZone);
  const name =
    key === dayKey(now, timeZone)
      ? "today"
      : key === dayKey(now - dayMs, timeZone)
        ? "yesterday"
        : ageOf(ms, now, timeZone);
  return `${name}, ${clockOf(ms, timeZone)}`;
}

const isSameYear = (one: number, other: number, timeZone: string | undefined) =>
  dayKey(one, timeZone).slice(0, 4) === dayKey(other, timeZone).slice(0, 4);
