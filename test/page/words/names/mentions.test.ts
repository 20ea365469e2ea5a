import { expect, test } from "vitest";
import { complete, initials, mentionables, mentionAt, mentionPieces } from "../../../../page/words/names/mentions.ts";

const team = [
  { slug: "reviewer", name: "Reviewer", about: "", isAgent: true },
  { slug: "gauge-check", name: "Gauge check", about: "", isAgent: true },
  { slug: "nora-feldmann", name: "Nora Feldmann", about: "", isAgent: false },
];

test("a mention is being written behind an @ that begins a word", () => {
  expect(mentionAt("yes @Re", 7)).toBe("re");
  expect(mentionAt("yes @re later", 7)).toBe("re");
  expect(mentionAt("@", 1)).toBe("");
  expect(mentionAt("me@re", 5)).toBeNull();
  expect(mentionAt("@re later", 9)).toBeNull();
});

test("those are offered whose slug or a word of whose name begins so", () => {
  expect(mentionables(team, "re").map(({ slug }) => slug)).toEqual(["reviewer"]);
  expect(mentionables(team, "check").map(({ slug }) => slug)).toEqual(["gauge-check"]);
  expect(mentionables(team, "feld").map(({ slug }) => slug)).toEqual(["nora-feldmann"]);
  expect(mentionables(team, "")).toHaveLength(3);
  expect(mentionables(team, "x")).toEqual([]);
});

test("a mention is completed where the caret is, with one blank behind it", () => {
  expect(complete("ask @re", 7, "reviewer")).toEqual({ text: "ask @reviewer ", caret: 14 });
  expect(complete("ask @re about it", 7, "reviewer")).toEqual({ text: "ask @reviewer about it", caret: 14 });
});

test("mentions are marked only of those who are known", () => {
  const known = new Set(["reviewer"]);
  expect(mentionPieces("@reviewer, ask @nobody or me@reviewer", known)).toEqual([
    { text: "@reviewer", isMention: true },
    { text: ", ask @nobody or me@reviewer", isMention: false },
  ]);
});

test("people have two letters, agents one, whatever they are called", () => {
  expect(initials("Nora Feldmann", false)).toBe("NF");
  expect(initials("Priya", false)).toBe("PR");
  expect(initials("Gauge check", true)).toBe("G");
  expect(initials("  <b>🙂</b>", false)).toBe("BB");
  expect(initials("🙂", false)).toBe("?");
});
