/** Two texts as a change: the lines that went, those that came, and a few around them. Pure, and linear in the lengths. */

export type DiffLine = { kind: "same" | "removed" | "added"; number: number; text: string };

export type LineDiff = { lines: DiffLine[]; added: number; removed: number };

/** Lines around a change that are shown as well. */
const around = 2;

/** Finds the changes between two texts. The lines that both begin and end with are left out, but for a few. */
export function lineDiff(before: string, after: string): LineDiff {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let begin = 0;
  while (begin < old.length && begin < fresh.length && old[begin] === fresh[begin]) begin++;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - begin;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end++;

  const lines: DiffLine[] = [];
  const push = (kind: DiffLine["kind"], source: readonly string[], from: number, to: number) => {
    for (let at = Math.max(0, from); at < to; at++) lines.push({ kind, number: at + 1, text: source[at] ?? "" });
  };
  push("same", old, begin - around, begin);
  push("removed", old, begin, old.length - end);
  push("added", fresh, begin, fresh.length - end);
  push("same", fresh, fresh.length - end, Math.min(fresh.length, fresh.length - end + around));
  return { lines, added: fresh.length - end - begin, removed: old.length - end - begin };
}

/** A text that is empty has no lines; an end of line at its end begins none. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}
