import { expect, test } from "vitest";
import { paragraphOf, passagesIn } from "../../../backends/offline/passages.ts";

test("the reader of passages reads path:line: text, and passes over notes", () => {
  expect(
    passagesIn(
      "20250109/notes.md:12: # Heat:  two panes\nfacets/a b/x.md:3:no space\n[5 more left out]\nnothing found",
    ),
  ).toEqual([
    { path: "20250109/notes.md", line: 12, text: "Heat: two panes" },
    { path: "facets/a b/x.md", line: 3, text: "no space" },
  ]);
});

test.each([
  ["- [ ] call Ada - [x] buy nails", "call Ada"],
  ['{"title":"Call","start":"10:00","participants":["Ada"],"summary":"Done."}', "Call · 10:00 · Done."],
  ['"title": "Garden", "color": "#fff", "description": "Beds."', "Garden · Beds."],
  ['"Not so fast," he said.', '"Not so fast," he said.'],
])("%s reads as %s", (text, tidy) => {
  expect(passagesIn(`a.md:1: ${text}`)).toMatchObject([{ text: tidy }]);
});

test("a long passage is cut between words", () => {
  const [passage] = passagesIn(`a.md:1: ${"word ".repeat(300)}`);
  expect(passage?.text).toMatch(/^(word )+…$/);
  expect(passage?.text.length).toBeLessThan(510);
});

test.each([
  ["Only this.\nAnd this.\n\nNot this.", "Only this. And this."],
  ["## Heat\n\nTwo panes\nare broken.\n\nNext.", "Heat: Two panes are broken."],
  ["- one\n- two", "one"],
  ["# Alone", "Alone"],
])("%j is the paragraph %j", (lines, paragraph) => {
  expect(paragraphOf(lines)).toBe(paragraph);
});
