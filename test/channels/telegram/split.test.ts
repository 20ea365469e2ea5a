import { expect, test } from "vitest";
import { maxPart, splitText } from "../../../channels/telegram/split.ts";

test("a text that fits stays whole, and an empty one makes no part", () => {
  expect(splitText("hello")).toEqual(["hello"]);
  expect(splitText("x".repeat(maxPart))).toHaveLength(1);
  expect(splitText("")).toEqual([]);
  expect(splitText(" \n ")).toEqual([]);
});

test("a text is cut at a paragraph, else at a line, else at a word, else anywhere", () => {
  expect(splitText("one two\nthree\n\nfour five", 20)).toEqual(["one two\nthree", "four five"]);
  expect(splitText("one two\nthree four five", 20)).toEqual(["one two", "three four five"]);
  expect(splitText("one two three four five", 20)).toEqual(["one two three four", "five"]);
  expect(splitText("x".repeat(45), 20)).toEqual(["x".repeat(20), "x".repeat(20), "x".repeat(5)]);
});

test("no character is cut in two", () => {
  const parts = splitText("😀".repeat(30), 21);
  expect(parts.join("")).toBe("😀".repeat(30));
  expect(parts.every((part) => part.length <= 21 && part.isWellFormed())).toBe(true);
});

test("a block of code that is cut is closed, and opened again", () => {
  const code = Array.from({ length: 12 }, (_, n) => `  line ${n}`).join("\n");
  const parts = splitText(`before\n\`\`\`ts\n${code}\n\`\`\`\nafter`, 60);
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts) {
    expect(part.length).toBeLessThanOrEqual(60);
    expect(part.split("\n").filter((line) => line.startsWith("```")).length % 2).toBe(0);
  }
  const lines = parts.join("\n").split("\n");
  expect(lines.filter((line) => !line.startsWith("```")).join("\n")).toBe(`before\n${code}\nafter`);
});

test("whatever the text, no part is too long, and no word is lost", () => {
  const pieces = ["word", "\n\n", "\n", " ", "```\n", "```js\n", "😀", "x".repeat(50), "~~~\n", "  indented", "````\n"];
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random(60) }, () => pieces[random(pieces.length)]).join("");
    const parts = splitText(text, 80);
    for (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(80);
      expect(part.isWellFormed()).toBe(true);
      expect(part.trim()).not.toBe("");
    }
    const words = (all: string) => all.replaceAll(/[\s`~]|js/g, "");
    expect(words(parts.join("\n"))).toBe(words(text));
  }
});
