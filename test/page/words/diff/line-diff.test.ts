import { expect, test } from "vitest";
import { lineDiff } from "../../../../page/words/diff/line-diff.ts";

const shortly = (before: string, after: string) =>
  lineDiff(before, after).lines.map(
    ({ kind, number, text }) => `${{ same: " ", removed: "-", added: "+", gap: "~" }[kind]}${number} ${text}`,
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

test("two changes of a long text are told apart, without what is the same between them", () => {
  const text = Array.from({ length: 200 }, (_, at) => `line ${at + 1}`);
  const after = text.with(1, "second").toSpliced(150, 1).join("\n");
  expect(shortly(text.join("\n"), after)).toEqual(
    [
      "-2 line 2",
      "+2 second",
      " 3 line 3",
      " 4 line 4",
      "~5 ",
      " 149 line 149",
      " 150 line 150",
      "-151 line 151",
      " 151 line 152",
      " 152 line 153",
    ].toSpliced(0, 0, " 1 line 1"),
  );
});

test("texts of 20,000 lines with nothing in common are one change", () => {
  const of = (word: string) => Array.from({ length: 20_000 }, (_, at) => `${word} ${at}`).join("\n");
  expect(lineDiff(of("old"), `${of("new")}\nmore`)).toMatchObject({ added: 20_001, removed: 20_000 });
});
