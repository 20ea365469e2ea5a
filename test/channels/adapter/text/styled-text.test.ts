/** Markdown as plain text with ranges, and its parts. */
import { expect, test } from "vitest";
import { cutText } from "../../../../channels/adapter/text/cut-text.ts";
import { styledText } from "../../../../channels/adapter/text/styled-text.ts";

/** The styled words of a text, each behind its style. */
const styled = (markdown: string) => {
  const { text, ranges } = styledText(markdown);
  return { text, marked: ranges.map(({ start, length, style }) => `${style} ${text.slice(start, start + length)}`) };
};

test.each<[string, string, string, string[]]>([
  ["plain words", "Good morning, 2 * 3 = 6 & a_b_c", "Good morning, 2 * 3 = 6 & a_b_c", []],
  ["styles", "**a** *b* ~~c~~ `d`", "a b c d", ["BOLD a", "ITALIC b", "STRIKETHROUGH c", "MONOSPACE d"]],
  ["styles within styles", "🌻 **a *b***", "🌻 a b", ["ITALIC b", "BOLD a b"]],
  ["a heading", "# The **log**\n\nText", "The log\n\nText", ["BOLD log", "BOLD The log"]],
  ["a link", "[log](https://a.b/c) <https://d.e> https://f.g", "log (https://a.b/c) https://d.e https://f.g", []],
  ["a picture", "![chart](https://a.b/c.png)", "chart (https://a.b/c.png)", []],
  ["a list", "* one\n* two\n  * **three**\n\n2. x\n3. y", "- one\n- two\n  - three\n\n2. x\n3. y", ["BOLD three"]],
  ["tasks", "- [ ] one\n- [x] two", "- [ ] one\n- [x] two", []],
  ["a quote", "> one\n> *two*\n\nthree", "> one\n> two\n\nthree", ["ITALIC two"]],
  [
    "code",
    "```js\nconst a = `b`;\n\nc();\n```\nend",
    "const a = `b`;\n\nc();\nend",
    ["MONOSPACE const a = `b`;\n\nc();"],
  ],
  ["a table", "| a | b |\n| - | - |\n| 1 | **2** |\n\nend", "a | b\n1 | 2\n\nend", ["BOLD 2"]],
  ["a line", "one\n***\ntwo", "one\n———\ntwo", []],
  ["escapes and tags", "\\*a\\* <b>c</b>", "*a* <b>c</b>", []],
  ["nothing", " \n ", "", []],
])("%s", (_, markdown, text, marked) => {
  expect(styled(markdown)).toEqual({ text, marked });
});

test("what is nested without end is still a text", () => {
  const deep = `${"> ".repeat(20_000)}end`;
  expect(styledText(deep).text).toContain("end");
});

test("a text is cut at paragraphs, lines and words, with its ranges, and never inside a character", () => {
  const { text, ranges } = styledText(`one **two three**\n\nfour five six`);
  const parts = cutText({ text, ranges }, 14);
  expect(parts).toEqual([
    { text: "one two three", ranges: [{ start: 4, length: 9, style: "BOLD" }] },
    { text: "four five six", ranges: [] },
  ]);
  expect(cutText({ text, ranges }, 9).map((part) => part.text)).toEqual(["one two", "three", "four five", "six"]);
  expect(cutText({ text, ranges }, 9).map((part) => part.ranges)).toEqual([
    [{ start: 4, length: 3, style: "BOLD" }],
    [{ start: 0, length: 5, style: "BOLD" }],
    [],
    [],
  ]);
  expect(cutText({ text: "🌻🌻🌻", ranges: [] }, 3).map((part) => part.text)).toEqual(["🌻", "🌻", "🌻"]);
  expect(cutText({ text: "", ranges: [] }, 3)).toEqual([]);
});
