/** The number of lines with which two texts begin alike, and of those behind with which they end alike. Pure, and linear in the lengths. */
export function commonEnds(old: readonly string[], fresh: readonly string[]): { begin: number; end: number } {
  let begin = 0;
  while (begin < old.length && begin < fresh.length && old[begin] === fresh[begin]) begin++;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - begin;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  return { begin, end };
}
