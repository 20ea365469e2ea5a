import { expect, test } from "vitest";
import { changedLines } from "../../../../page/words/diff/changed-lines.ts";
import { textChange } from "../../../../page/words/diff/text-change.ts";
import { changesOf, isAgentText, isSameText, rebasedText } from "../../../../page/words/drafts/agent-text.ts";
import { readDraft } from "../../../../page/words/drafts/draft.ts";
import { rebasedValues } from "../../../../page/words/drafts/rebased-values.ts";

const base = { instruction: "You cook.\n", settings: { timeout_seconds: 300, tools: ["a"] } };

test("lines that aren't as they were are told from the first to the last", () => {
  expect(changedLines("a\nb\nc\n", "a\nB\nc\n")).toEqual({ from: 2, to: 2 });
  expect(changedLines("a\nb", "a\nx\ny\nb")).toEqual({ from: 2, to: 3 });
  const { from, to } = changedLines("a\nb\nc", "a\nc");
  expect(to).toBeLessThan(from);
  const same = changedLines("a\n", "a");
  expect(same.to).toBeLessThan(same.from);
});

test("a persona's changes are its settings that differ, and its text as one", () => {
  expect(changesOf(base, base)).toBe(0);
  expect(changesOf(base, { instruction: "You cook.", settings: { ...base.settings } })).toBe(0);
  const mine = { instruction: "You bake.", settings: { tools: ["a", "b"], save: "x.md" } };
  expect(changesOf(base, mine)).toBe(4);
  expect([isSameText(base, { ...base, instruction: "You cook." }), isSameText(base, mine)]).toEqual([true, false]);
});

test("a draft that was kept is read again, and what is none of ours is no draft", () => {
  const isText = (value: unknown) => typeof value === "string";
  const draft = { version: "0123456789abcdef", base, mine: base };
  expect(readDraft(JSON.stringify(draft), isAgentText)).toEqual(draft);
  const note = { version: null, base: "", mine: "x" };
  expect(readDraft(JSON.stringify(note), isText)).toEqual(note);
  for (const text of ["", "{", "null", "[]", '{"version":1}', JSON.stringify({ ...draft, mine: [] })])
    expect([readDraft(text, isAgentText), readDraft(text, isText)]).toEqual([null, null]);
});

test("values that were changed while others were being saved stand on top of what was saved", () => {
  const sent = { a: 1, b: [1], c: "x" };
  expect(rebasedValues(sent, sent, { a: 1, b: [1, 2], d: 0 })).toEqual({ a: 1, b: [1, 2], d: 0 });
  expect(rebasedValues({ a: 2, b: [1], e: 5 }, sent, { ...sent, b: [] })).toEqual({ a: 2, b: [], e: 5 });
  const typed = { c: "y", a: 1, b: [1] };
  expect(JSON.stringify(rebasedValues(typed, sent, sent))).toBe(JSON.stringify(typed));
  const saved = { instruction: "You cook.\n", settings: sent };
  const cook = { instruction: "You cook.", settings: sent };
  expect(rebasedText(cook, cook, saved)).toEqual(saved);
  expect(rebasedText({ ...cook, instruction: "" }, cook, saved)).toEqual({ instruction: "", settings: sent });
});

test.each([
  ["", ""],
  ["abc", "abc\n"],
  ["one two three", "one 2 three"],
  ["aaa", "aa"],
  ["ab", "aab"],
  ["x", ""],
  ["", "x"],
])("%j becomes %j by the part that differs", (before, after) => {
  const change = textChange(before, after);
  if (change === null) expect(after).toBe(before);
  else expect(before.slice(0, change.from) + change.insert + before.slice(change.to)).toBe(after);
});
