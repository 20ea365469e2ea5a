/** Texts in parts: each is whole by itself, none is too long, and together they say what the whole says. */
import { expect, test } from "vitest";
import { htmlOf, plainOf } from "../../../../channels/telegram/format/html.ts";
import { piecesOf } from "../../../../channels/telegram/format/markdown.ts";
import { maxHtml, maxPart, splitStyled } from "../../../../channels/telegram/format/split.ts";
import { textOf } from "../../../../channels/telegram/format/styled-text.ts";
import { parseHtml } from "../parse-html.ts";

const plain = (text: string) => [{ text, styles: [] }];
const split = (text: string, max?: number) => splitStyled(plain(text), max).map(textOf);

test("a text that fits stays whole, and an empty one makes no part", () => {
  expect(split("hello")).toEqual(["hello"]);
  expect(split("x".repeat(maxPart))).toHaveLength(1);
  expect(split("x".repeat(maxPart + 1))).toHaveLength(2);
  expect(split("")).toEqual([]);
  expect(split(" \n ")).toEqual([]);
});

test("a text is cut at a paragraph, else at a line, else at a word, else anywhere", () => {
  expect(split("one two\nthree\n\nfour five", 20)).toEqual(["one two\nthree", "four five"]);
  expect(split("one two\nthree four five", 20)).toEqual(["one two", "three four five"]);
  expect(split("one two three four five", 20)).toEqual(["one two three four", "five"]);
  expect(split("x".repeat(45), 20)).toEqual(["x".repeat(20), "x".repeat(20), "x".repeat(5)]);
});

test("no character is cut in two", () => {
  const parts = split("😀".repeat(30), 21);
  expect(parts.join("")).toBe("😀".repeat(30));
  expect(parts.every((part) => part.length <= 21 && part.isWellFormed())).toBe(true);
});

test("a block of code that is cut is closed, and opened again with its language; its lines keep their spaces", () => {
  const code = Array.from({ length: 12 }, (_, n) => `  line ${n} < &`).join("\n");
  const parts = splitStyled(piecesOf(`before\n\`\`\`ts\n${code}\n\`\`\`\nafter`), 60).map((part) => htmlOf(part).html);
  expect(parts.length).toBeGreaterThan(2);
  const shown = parts.map(parseHtml);
  for (const { text } of shown) expect(text.length).toBeLessThanOrEqual(60);
  const blocks = shown.flatMap(({ entities }) => entities.filter(({ tag }) => tag === "code"));
  expect(blocks).toHaveLength(parts.length);
  expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(["ts"]));
  expect(blocks.map(({ text }) => text).join("\n")).toBe(code);
});

test("what has many styles or long addresses is cut sooner", () => {
  const bold = splitStyled(piecesOf("**a** b ".repeat(250)));
  expect(bold.every((part) => htmlOf(part).entities <= 100)).toBe(true);
  expect(bold.flat().filter(({ styles }) => styles.length > 0)).toHaveLength(250);
  const linked = splitStyled(piecesOf(`[x](https://a.test/${"y".repeat(1900)}) `.repeat(20)));
  expect(linked.every((part) => htmlOf(part).html.length <= maxHtml)).toBe(true);
  expect(linked.flat().filter(({ styles }) => styles.length > 0)).toHaveLength(20);
});

const signs = "*_`~[]()<>&|#!\\\n\n  ".split("");
const blocks = [
  "\n\n",
  "```\n",
  "```js\n",
  "~~~\n",
  "- ",
  "1. ",
  "> ",
  "# ",
  "| a | b |\n",
  "|---|---|\n",
  "    code",
  "---\n",
];
const words = ["word", "two words", "**", "__", "~~", "<b>", "</b>", "<br>", "&lt;", "&#128512;", "😀", "x".repeat(50)];
const links = [
  "[x](https://a.test/?q=1&r=<2>)",
  "![p](http://b.test)",
  "[r]: https://c.test\n",
  "https://d.test/a_b",
  "a@b.test",
];
const pieces = [...signs, ...blocks, ...words, ...links, "- [x] "];

test("whatever the Markdown, each part is well-formed and short enough, and together they say the whole text", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 1500; round++) {
    const markdown = Array.from({ length: random(80) }, () => pieces[random(pieces.length)]).join("");
    const max = 30 + random(100);
    const whole = piecesOf(markdown);
    const parts = splitStyled(whole, max);
    expect(splitStyled(piecesOf(markdown), max)).toEqual(parts);
    let rest = textOf(whole);
    for (const part of parts) {
      const { text } = parseHtml(htmlOf(part).html);
      expect(text).toBe(textOf(part));
      expect(text.length).toBeLessThanOrEqual(max);
      expect(text.isWellFormed()).toBe(true);
      expect(text.trim()).not.toBe("");
      expect(plainOf(part, max).length).toBeLessThanOrEqual(max);
      const at = rest.indexOf(text);
      // Nothing but white space is lost at a cut.
      expect(rest.slice(0, at).trim()).toBe("");
      rest = rest.slice(at + text.length);
    }
    expect(rest.trim()).toBe("");
    if (markdown.trim() !== "") expect(parts).not.toEqual([]);
  }
});

test("texts that are made to hold up who reads them are read at once, as they are", () => {
  const texts = ["_a_ __".repeat(10_000), "> ".repeat(30_000), "- ".repeat(30_000), "1. ".repeat(20_000)];
  for (const text of texts) expect(textOf(piecesOf(text))).toBe(text);
  const deep = Array.from({ length: 240 }, (_, n) => `${" ".repeat(n * 2)}- a`).join("\n");
  expect(splitStyled(piecesOf(deep)).length).toBeGreaterThan(0);
});
