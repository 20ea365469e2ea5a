/** Days: `YYYYMMDD`, as people in a time zone count them. */

/** The local day of a moment, in milliseconds. */
export function dayOf(ts: number, timeZone: string): string {
  // The Swedish form of a date is year, month, day.
  const text = new Intl.DateTimeFormat("sv-SE", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    ts,
  );
  return text.replaceAll("-", "");
}
