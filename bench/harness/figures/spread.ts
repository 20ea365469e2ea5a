/** Figures of several rounds: the one in the middle, and how far they lie apart. Pure. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 0 ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper;
}

/** The value that so large a share of all doesn't exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The median, with the least and the most. */
export function spread(values: readonly number[]): string {
  const middle = rounded(median(values));
  return values.length < 2 ? middle : `${middle} (${rounded(Math.min(...values))}–${rounded(Math.max(...values))})`;
}

/** With about three digits, which is more than a machine with other work can promise. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
