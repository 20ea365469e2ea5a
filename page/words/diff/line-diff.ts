/** Two texts as a change: the lines that went, those that came, and a few around them. Pure. */
import { diffArrays } from "diff";
import { commonEnds } from "./common-ends.ts";

export type DiffLine = {
  /** `gap`: lines that are the same in both, and are left out. */
  kind: "same" | "removed" | "added" | "gap";
  /** Counted from 1, in the text that it stands in; of a gap the first line that is left out. */
  number: number;
  text: string;
};

export type LineDiff = { lines: DiffLine[]; added: number; removed: number };

/** Lines around a change that are shown as well. */
const around = 2;

/** Changed lines up to which the least change is looked for: its time grows with their square. */
const mostEdits = 1000;

/** Finds the changes between two texts; of texts that have little in common, one change. */
export function lineDiff(before: string, after: string): LineDiff {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const changes = diffArrays(old, fresh, { maxEditLength: mostEdits }) ?? oneChange(old, fresh);
  const lines: DiffLine[] = [];
  let [oldNumber, number] = [1, 1];
  for (const [at, { value, removed, added }] of changes.entries()) {
    if (removed) {
      for (const text of value) lines.push({ kind: "removed", number: oldNumber++, text });
      continue;
    }
    if (added) {
      for (const text of value) lines.push({ kind: "added", number: number++, text });
      continue;
    }
    const [head, tail] = [at === 0 ? 0 : around, at === changes.length - 1 ? 0 : around];
    const leftOut = value.length - head - tail;
    for (const [index, text] of value.entries()) {
      if (index < head || index >= value.length - tail) lines.push({ kind: "same", number, text });
      else if (index === head && head > 0 && tail > 0 && leftOut > 0) lines.push({ kind: "gap", number, text: "" });
      number++;
    }
    oldNumber += value.length;
  }
  const count = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { lines, added: count("added"), removed: count("removed") };
}

type Change = { value: string[]; removed?: boolean; added?: boolean };

/** The lines that both begin and end with are the same, all between them is the change. Linear in the lengths. */
function oneChange(old: readonly string[], fresh: readonly string[]): Change[] {
  const { begin, end } = commonEnds(old, fresh);
  const changes: Change[] = [
    { value: old.slice(0, begin) },
    { value: old.slice(begin, old.length - end), removed: true },
    { value: fresh.slice(begin, fresh.length - end), added: true },
    { value: old.slice(old.length - end) },
  ];
  return changes.filter(({ value }) => value.length > 0);
}

/** A text that is empty has no lines; an end of line at its end begins none. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}
