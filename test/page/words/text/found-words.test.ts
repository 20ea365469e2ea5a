import { expect, test } from "vitest";
import { foundWords } from "../../../../page/words/text/found-words.ts";

const marked = (text: string, searched: string) =>
  foundWords(text, searched)
    .map(({ text: piece, isFound }) => (isFound ? `[${piece}]` : piece))
    .join("");

test("each word is marked, in any case, wherever it stands", () => {
  expect(marked("Is rc2 final? RC2 is.", "rc2 final")).toBe("Is [rc2] [final]? [RC2] is.");
});

test("signs of patterns are signs", () => expect(marked("a.b (c", ". (c")).toBe("a[.]b [(c]"));

test("nothing is marked without a search", () => expect(marked("text", "  ")).toBe("text"));
