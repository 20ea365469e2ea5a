/** Which lines of a text aren't as they were: from the first that differs to the last, counted from 1. Pure, and linear in the lengths. */

export function changedLines(before: string, after: string): { from: number; to: number } {
  const [old, fresh] = [before.replace(/\n$/, "").split("\n"), after.replace(/\n$/, "").split("\n")];
  let begin = 0;
  while (begin < old.length && begin < fresh.length && old[begin] === fresh[begin]) begin++;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - begin;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;
  return { from: begin + 1, to: fresh.length - end };
}
