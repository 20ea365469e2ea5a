import { expect, test } from "vitest";
import { changedLines } from "../../../../page/words/diff/changed-lines.ts";
import { readNoteDraft } from "../../../../page/words/drafts/note-draft.ts";
import { changesOf, isSame, readPersonaDraft } from "../../../../page/words/drafts/persona-draft.ts";

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
  expect([isSame(base, { ...base, instruction: "You cook." }), isSame(base, mine)]).toEqual([true, false]);
});

test("a draft that was kept is read again, and what is none of ours is no draft", () => {
  const draft = { version: "0123456789abcdef", base, mine: base };
  expect(readPersonaDraft(JSON.stringify(draft))).toEqual(draft);
  const note = { version: null, base: "", text: "x" };
  expect(readNoteDraft(JSON.stringify(note))).toEqual(note);
  for (const text of ["", "{", "null", "[]", '{"version":1}', JSON.stringify({ ...draft, mine: [] })])
    expect([readPersonaDraft(text), readNoteDraft(text)]).toEqual([null, null]);
});
