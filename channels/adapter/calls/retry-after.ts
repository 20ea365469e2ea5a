/** How long a service asks to wait, as its header `Retry-After` says. Pure: the time is an argument. */

/** Milliseconds after which a service is asked again, whatever it says: a timer of more than 24 days would end at once. */
export const longestAskedMs = 3_600_000;

/** In seconds, or a date. */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
