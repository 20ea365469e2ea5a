/** The part of a text that has to change so that it becomes another one: what is alike at both ends stays, and a cursor there, too. Pure, and linear in the lengths. */

export type TextChange = { from: number; to: number; insert: string };

/** Null: they are the same. Positions are of the text before. */
export function textChange(before: string, after: string): TextChange | null {
  if (before === after) return null;
  const shorter = Math.min(before.length, after.length);
  let from = 0;
  while (from < shorter && before[from] === after[from]) from++;
  let end = 0;
  while (end < shorter - from && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
