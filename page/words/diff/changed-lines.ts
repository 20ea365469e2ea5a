/** Which lines of a text aren't as they were: from the first that differs to the last, counted from 1. Pure, and linear in the lengths. */
import { commonEnds } from "./common-ends.ts";

export function changedLines(before: string, after: string): { from: number; to: number } {
  const [old, fresh] = [before.replace(/\n$/, "").split("\n"), after.replace(/\n$/, "").split("\n")];
  const { begin, end } = commonEnds(old, fresh);
  return { from: begin + 1, to: fresh.length - end };
}
