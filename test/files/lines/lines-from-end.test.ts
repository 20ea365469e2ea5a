import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { linesFromEnd } from "../../../files/lines/lines-from-end.ts";

const folder = mkdtempSync(join(tmpdir(), "lines-from-end-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fromEnd(text: string, maxBytes?: number) {
  const path = join(folder, "file");
  writeFileSync(path, text);
  const file = openSync(path, "r");
  try {
    return [...linesFromEnd(file, maxBytes)].map(({ bytes, begin, end }) => ({ text: bytes.toString(), begin, end }));
  } finally {
    closeSync(file);
  }
}

test("the whole lines of a file come from the last to the first, with where they stand, and a torn one is left out", () => {
  expect(fromEnd("a\n\néé\ntorn")).toEqual([
    { text: "éé", begin: 3, end: 8 },
    { text: "", begin: 2, end: 3 },
    { text: "a", begin: 0, end: 2 },
  ]);
  expect(fromEnd("\n")).toEqual([{ text: "", begin: 0, end: 1 }]);
  expect(fromEnd("torn")).toEqual([]);
  expect(fromEnd("")).toEqual([]);
});

test("lines are whole wherever the pieces end in which the file is read", () => {
  const piece = 64 * 1024;
  for (const last of [piece - 2, piece - 1, piece, piece + 1, 3 * piece]) {
    const lines = ["first", "x".repeat(piece), "b".repeat(last)];
    const found = fromEnd(`${lines.join("\n")}\n`);
    expect(found.map(({ text }) => text).toReversed(), String(last)).toEqual(lines);
    expect(found.at(-1)).toMatchObject({ begin: 0, end: 6 });
  }
});

test("reading stops at a line that is longer than the bound, torn or not", () => {
  const long = "x".repeat(1024 * 1024);
  expect(fromEnd(`before\n${long}\nlast\n`, 1000).map(({ text }) => text)).toEqual(["last"]);
  expect(fromEnd(`before\n${long}`, 1000)).toEqual([]);
});
