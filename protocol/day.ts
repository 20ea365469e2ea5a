/** Days: `YYYYMMDD`, as people in a time zone count them. */

/** The local day of a moment, in milliseconds. */
export function dayOf(ts: number, timeZone: string): string {
  // The Swedish form of a date is year, month, day.
  const text = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    ts,
  );
  return text.replaceAll("-", "");
}

/** The day after a day. */
export function dayAfter(day: string): string {
  const next = new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)) + 1));
  return next.toISOString().slice(0, 10).replaceAll("-", "");
}
