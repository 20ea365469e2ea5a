/** Money and counts. A price that nobody knows is said to be unknown, and never shown as nothing. */

const counts = new Intl.NumberFormat("en-US");

/** In rows, so that columns line up: `$0.180`, `<$0.001`, `about $0.031` where it is an estimate, `` where none is known. */
export function rowMoney(usd: number | null | undefined, isEstimate = false): string {
  if (usd === null || usd === undefined) return "";
  const text = usd > 0 && usd < 0.0005 ? "<$0.001" : `$${usd.toFixed(3)}`;
  return isEstimate ? `about ${text}` : text;
}

/** In sums: `$1.62`. */
export function sumMoney(usd: number | null | undefined): string {
  if (usd === null || usd === undefined) return "no price known";
  return usd > 0 && usd < 0.005 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

/** `41,870 tokens`, `1 token`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${counts.format(count)} ${count === 1 ? one : many}`;
}

/** `41,870` */
export function digits(count: number): string {
  return counts.format(count);
}

/** `0 bytes`, `41 KB`, `1.2 MB` */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return countOf(bytes, "byte");
  if (bytes < 1_000_000) return `${Math.round(bytes / 1000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
