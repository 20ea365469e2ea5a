import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { textLines } from "../../../files/lines/text-lines.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lines-"));
  file = join(folder, "a");
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (content: string | Buffer, maxLength?: number) => {
  writeFileSync(file, content);
  return [...textLines(file, maxLength)].map(({ number, text, cut }) => [number, text, ...(cut ? ["cut"] : [])]);
};

test("lines end in LF alone, and a last one without counts", () => {
  expect(read("")).toEqual([]);
  expect(read("\n")).toEqual([[1, ""]]);
  expect(read("a\u2028b\r\n\nc\rd")).toEqual([
    [1, "a\u2028b"],
    [2, ""],
    [3, "c\rd"],
  ]);
});

test("a character that lies across two readings is whole", () => {
  const text = "é".repeat(200_000);
  expect(read(`x${text}`, 300_000)).toEqual([[1, `x${text}`]]);
});

test("a character that the end of the file cuts is replaced", () => {
  expect(read(Buffer.from([0x61, 0xc3]))).toEqual([[1, "a\ufffd"]]);
});

test("a line that is too long is cut, also across readings, and its number counts", () => {
  expect(read(`${"x".repeat(300_000)}\nab\nabcd`, 3)).toEqual([
    [1, "xxx", "cut"],
    [2, "ab"],
    [3, "abc", "cut"],
  ]);
});

test("a link, a folder and a FIFO are refused at once", () => {
  writeFileSync(file, "x");
  symlinkSync(file, join(folder, "link"));
  spawnSync("mkfifo", [join(folder, "fifo")]);
  for (const name of ["link", "fifo", "."]) expect(() => [...textLines(join(folder, name))]).toThrow();
});
