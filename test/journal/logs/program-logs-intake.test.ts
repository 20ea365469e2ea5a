import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logFile, strayFile } from "../../../journal/logs/program-logs.ts";
import { beginCapture, beginText, LogIntake, takeCapture } from "../../../journal/logs/program-logs-intake.ts";
import { ProgramLog } from "../../../journal/logs/program-logs-writer.ts";
import { temporaryJournal } from "../temporary-journal.ts";

let journal: ReturnType<typeof temporaryJournal>;
let log: string;
let text: string;
beforeEach(() => {
  journal = temporaryJournal();
  log = logFile(journal.path, "cortex");
  text = strayFile(journal.path, "cortex");
});
afterEach(() => journal[Symbol.dispose]());

const records = () =>
  (existsSync(log) ? readFileSync(log, "utf8") : "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const messages = () => records().map(({ msg }) => msg);
const newIntake = () =>
  new LogIntake(new ProgramLog(log, "cortex"), "cortex", (msg, time) => ({ level: 30, time, msg }));
const fill = (path: string, content: string) => {
  beginText(path);
  appendFileSync(path, content);
};

test("last words become lines of the program's log, with the time at which they were said, and are gone then", () => {
  fill(text, "FATAL ERROR: out of memory\n\n  at native\nno line feed");
  utimesSync(text, 1000, 1000);
  takeCapture(journal.path, "cortex");
  expect(records()).toMatchObject([
    { level: 50, time: 1_000_000, name: "cortex", msg: "FATAL ERROR: out of memory" },
    { msg: "  at native" },
    { msg: "no line feed" },
  ]);
  expect(existsSync(text)).toBe(false);
  takeCapture(journal.path, "cortex");
  expect(records()).toHaveLength(3);
});

test("a line taken before a kill is not taken again, wherever the kill came", () => {
  const words = Array.from({ length: 20 }, (_, at) => `word ${at}`);
  fill(text, `${words.join("\n")}\n`);
  newIntake().takePiece(text, false);
  const whole = readFileSync(log);
  for (let bytes = 0; bytes < whole.length; bytes += 7) {
    writeFileSync(log, whole.subarray(0, bytes));
    newIntake().takePiece(text, true);
    expect(messages()).toEqual(words);
  }
});

test("the same words said again are taken again", () => {
  for (const _ of [1, 2]) {
    appendFileSync(beginCapture(journal.path, "cortex"), "boom\n");
    takeCapture(journal.path, "cortex");
  }
  expect(messages()).toEqual(["boom", "boom"]);
});

test("the last taken line is found behind the program's own lines, and after a rotation", () => {
  fill(text, "one\ntwo\n");
  newIntake().takePiece(text, false);
  appendFileSync(log, '{"level":30,"msg":"its own"}\n');
  newIntake().takePiece(text, true);
  expect(messages()).toEqual(["one", "two", "its own"]);
  writeFileSync(`${log}.1`, readFileSync(log));
  writeFileSync(log, "");
  newIntake().takePiece(text, true);
  expect(messages()).toEqual([]);
});

test("half a line waits for its end, as long as somebody may write it", () => {
  fill(text, "one\ntw");
  const intake = newIntake();
  expect(intake.takePiece(text, false)).toBe(true);
  expect(intake.takePiece(text, false)).toBe(false);
  appendFileSync(text, "o\n");
  intake.takePiece(text, false);
  expect(messages()).toEqual(["one", "two"]);
});

test("a line without end and bytes that are no text are taken in pieces, in bounded memory", () => {
  fill(text, `${"z".repeat(200_000)}\n`);
  appendFileSync(text, Buffer.from([0xff, 0xfe, 10]));
  takeCapture(journal.path, "cortex");
  expect(messages().slice(0, -1).join("")).toBe("z".repeat(200_000));
  expect(messages().at(-1)).toBe("\uFFFD\uFFFD");
});

test("output that can't be taken stays where it is, and the program starts all the same", () => {
  fill(text, "boom\n");
  mkdirSync(log);
  expect(beginCapture(journal.path, "cortex")).toBe(text);
  expect(readFileSync(text, "utf8")).toContain("boom");
  rmSync(log, { recursive: true });
  takeCapture(journal.path, "cortex");
  expect(messages()).toEqual(["boom"]);
  rmSync(join(journal.path, ".run"), { recursive: true });
  writeFileSync(join(journal.path, ".run"), "");
  expect(beginCapture(journal.path, "cortex")).toBe("/dev/null");
});

test("a file that was begun without room for its first line gets one when it is begun again", () => {
  mkdirSync(dirname(text), { recursive: true });
  for (const _ of [1, 2]) {
    writeFileSync(text, "");
    appendFileSync(beginCapture(journal.path, "cortex"), "boom\n");
    takeCapture(journal.path, "cortex");
  }
  expect(messages()).toEqual(["boom", "boom"]);
});

test("a program's words go into a file that only its owner may read", () => {
  expect(statSync(beginCapture(journal.path, "cortex")).mode & 0o777).toBe(0o600);
});
