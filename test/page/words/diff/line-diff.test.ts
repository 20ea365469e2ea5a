import { expect, test } from "vitest";
import { lineDiff } from "../../../../page/words/diff/line-diff.ts";

const shortly = (before: string, after: string) =>
  lineDiff(before, after).lines.map(
    ({ kind, number, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${number} ${text}`,
  );

test("a change is shown with two lines around it", () => {
  expect(shortly("a\nb\nc\nd\ne\n", "a\nb\nc\nX\ne\n")).toEqual([" 2 b", " 3 c", "-4 d", "+4 X", " 5 e"]);
});

test("a new text is added lines alone", () => {
  expect(shortly("", "one\ntwo\n")).toEqual(["+1 one", "+2 two"]);
  expect(lineDiff("", "one\ntwo\n")).toMatchObject({ added: 2, removed: 0 });
});

test("texts that are the same have no change", () => {
  expect(lineDiff("a\nb", "a\nb")).toMatchObject({ added: 0, removed: 0 });
});

test("a line that stands again and again is counted once", () => {
  expect(lineDiff("x\nx\nx", "x\nx")).toMatchObject({ added: 0, removed: 1 });
});
