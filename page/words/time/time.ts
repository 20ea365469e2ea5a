/** Ages and times of day, as people say them. Pure. */

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** How long ago something was: `now`, `4 minutes ago`, `3 hours ago`, then the day. */
export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  if (ms < minuteMs) return "now";
  if (ms < hourMs) return counted(Math.floor(ms / minuteMs), "minute");
  if (ms < dayMs) return counted(Math.floor(ms / hourMs), "hour");
  return dayOf(time);
}

const counted = (count: number, unit: string) => `${count} ${unit}${count === 1 ? "" : "s"} ago`;

/** `20 January 2025`, where the browser is. */
export const dayOf = (time: string): string =>
  new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
