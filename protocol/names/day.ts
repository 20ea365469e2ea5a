/** Days: `YYYYMMDD`, as people in a time zone count them. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local day of a moment, in milliseconds. */
export function dayOf(ts: number, timeZone: string): string {
  // The commonest zone of servers: to load what the others need takes a program 25 ms.
  const date = timeZone === "UTC" ? new Date(ts).toISOString().slice(0, 10) : formatOf(timeZone).format(ts);
  return date.replaceAll("-", "");
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  // The Swedish form of a date is year, month, day.
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" });
  formats.set(timeZone, format);
  return format;
}

/** The first moment of a UTC day, in ms. */
export const startOfDay = (day: string): number =>
  Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)));

/** The day after a day. */
export function dayAfter(day: string): string {
  const next = new Date(startOfDay(day) + 24 * 3_600_000);
  return next.toISOString().slice(0, 10).replaceAll("-", "");
}
