/** How commands lay out text for people. */

/** One line of at most so many characters. Control characters, which could move the cursor, become spaces. */
export function shorten(text: string, length: number): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > length ? `${line.slice(0, Math.max(0, length - 1))}…` : line;
}

/** A length of time: `0.3s`, `4m 20s`, `2h 05m`. */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}m ${Math.floor((ms % 60_000) / 1000)}s`;
  return `${Math.floor(minutes / 60)}h ${String(minutes % 60).padStart(2, "0")}m`;
}
