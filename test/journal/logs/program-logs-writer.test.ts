import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logFiles, ProgramLog } from "../../../journal/logs/program-logs-writer.ts";

const numbers = fileURLToPath(new URL("../../fixtures/logs/numbers.ts", import.meta.url));

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "program-log-"));
  path = join(folder, "logs/x.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const line = (number: number, msg = "") => `${JSON.stringify({ level: 30, time: number, name: "x", number, msg })}\n`;
const textOf = (file: string) => (existsSync(file) ? readFileSync(file, "utf8") : "");
/** The numbers in all files, the oldest first. */
const written = (older = 4) =>
  logFiles(path, older)
    .toReversed()
    .flatMap((file) => textOf(file).split("\n"))
    .filter((text) => text !== "")
    .map((text) => (JSON.parse(text) as { number?: number }).number);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at);

test("lines go into a file that only its owner may read, made with its folder", () => {
  using log = new ProgramLog(path, "x");
  log.write(line(1));
  log.write(line(2));
  expect(textOf(path)).toBe(line(1) + line(2));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "logs")).mode & 0o777).toBe(0o700);
});

test("a file that is full gets the next number, the oldest goes, and all together never take more than the bound", () => {
  using log = new ProgramLog(path, "x", { maxBytes: 200, maxOlder: 2 });
  for (const number of upTo(50)) {
    log.write(line(number));
    const sizes = logFiles(path, 9).map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(200);
    expect(sizes.slice(3)).toEqual(sizes.slice(3).map(() => 0));
  }
  expect(written()).toEqual(upTo(50, 43)); // three to a file
});

test("a gap that a kill left between two renames is filled, and nothing is written over", () => {
  using log = new ProgramLog(path, "x", { maxBytes: 60, maxOlder: 4 });
  for (const number of upTo(3)) log.write(line(number));
  expect(existsSync(`${path}.3`)).toBe(false);
  writeFileSync(`${path}.4`, line(0));
  log.write(line(4));
  expect(written()).toEqual([0, ...upTo(4)]);
});

test("a line that is longer than any is cut to its head, and says so", () => {
  using log = new ProgramLog(path, "x");
  log.write(line(1, "y".repeat(10_000_000)));
  expect(statSync(path).size).toBeLessThan(20_000);
  expect(JSON.parse(textOf(path))).toMatchObject({ level: 30, time: 1, name: "x", truncated: true });
});

test("half a line of a writer that was killed keeps its bytes, and doesn't fuse with the next", () => {
  using first = new ProgramLog(path, "x");
  first.write(line(1));
  appendFileSync(path, '{"level":30,"nu');
  using second = new ProgramLog(path, "x");
  second.write(line(2));
  expect(textOf(path)).toBe(`${line(1)}{"level":30,"nu\n${line(2)}`);
});

test("half a line that was taken over from a text is cut: it is taken again", () => {
  using first = new ProgramLog(path, "x");
  first.write(line(1));
  appendFileSync(path, '{"from":"abc:12","le');
  using second = new ProgramLog(path, "x");
  second.write(line(2));
  expect(textOf(path)).toBe(line(1) + line(2));
});

test("a log that somebody removed or renamed is begun anew", () => {
  using log = new ProgramLog(path, "x");
  log.write(line(1));
  rmSync(join(folder, "logs"), { recursive: true });
  log.write(line(2));
  expect(textOf(path)).toBe(line(2));
});

test("a log that can't be written stops nobody, and says later how many lines are missing", () => {
  writeFileSync(join(folder, "logs"), "a file where the folder should be");
  using log = new ProgramLog(path, "x");
  for (const number of upTo(3)) log.write(line(number));
  rmSync(join(folder, "logs"));
  log.write(line(4));
  const lines = textOf(path).trim().split("\n");
  expect(lines.map((text) => JSON.parse(text))).toMatchObject([{ level: 40, name: "x", lost: 3 }, { number: 4 }]);
});

test("where the disk takes half a line, the log has whole lines only", async () => {
  // 2 KiB is all that a file may have here; the log would like to have more.
  const script = `ulimit -f 4; exec '${process.execPath}' '${numbers}' '${path}' 1 100 1000000`;
  const child = spawn("/bin/sh", ["-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  expect(await once(child, "close")).toEqual([0, null]);
  expect(output).toBe("written\n");
  expect(textOf(path)).toMatch(/\n$/);
  expect(written()[0]).toBe(1);
  expect(written().length).toBeGreaterThan(10);
  expect(written().length).toBeLessThan(100);
});
