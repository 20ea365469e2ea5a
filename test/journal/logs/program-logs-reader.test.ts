import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { logFile } from "../../../journal/logs/program-logs.ts";
import { followLogs, lastLines } from "../../../journal/logs/program-logs-reader.ts";
import { temporaryJournal } from "../temporary-journal.ts";

const numbers = fileURLToPath(new URL("../../fixtures/logs/numbers.ts", import.meta.url));

let journal: ReturnType<typeof temporaryJournal>;
beforeEach(() => {
  journal = temporaryJournal();
  mkdirSync(dirname(logFile(journal.path, "cortex")), { recursive: true });
});
afterEach(() => journal[Symbol.dispose]());

const line = (time: number, msg = "") => `${JSON.stringify({ level: 30, time, msg })}\n`;
const times = (found: { time: number }[]) => found.map(({ time }) => time);
function write(program: string, text: string, older = ""): void {
  writeFileSync(`${logFile(journal.path, program)}${older}`, text);
}

test("the last lines of all programs come by time, those of one from its older files too", () => {
  write("cortex", line(1) + line(4), ".2");
  write("cortex", line(5), ".1");
  write("cortex", line(8) + line(9));
  write("mcp-tools", line(2) + line(3) + line(7));
  expect(times(lastLines(journal.path, ["cortex", "mcp-tools", "schedule"], 100))).toEqual([1, 2, 3, 4, 5, 7, 8, 9]);
  expect(times(lastLines(journal.path, ["cortex", "mcp-tools"], 3))).toEqual([7, 8, 9]);
  expect(times(lastLines(journal.path, ["cortex"], 4))).toEqual([4, 5, 8, 9]);
  expect(lastLines(journal.path, ["cortex"], 0)).toEqual([]);
});

test("the last lines of a large log are read from its end", () => {
  const lines = Array.from({ length: 40_000 }, (_, at) => line(at, "é".repeat(at % 50)));
  write("cortex", lines.join(""));
  expect(times(lastLines(journal.path, ["cortex"], 3000))).toEqual(
    Array.from({ length: 3000 }, (_, at) => at + 37_000),
  );
});

test("foreign lines are lines with the time of the one before; half a line is none yet; blank ones are none", () => {
  write("cortex", `${line(5)}Segmentation fault\n\n[1]\n{"level":30\n${line(9)}{"level":30,"ti`);
  expect(lastLines(journal.path, ["cortex"], 100)).toMatchObject([
    { time: 5, record: { level: 30 } },
    { time: 5, record: null, text: "Segmentation fault" },
    { time: 5, record: null, text: "[1]" },
    { time: 5, record: null, text: '{"level":30' },
    { time: 9 },
  ]);
});

/** Follows until so many lines came. */
async function follow(
  programs: string[],
  count: number,
  total: number,
  act: (heard: number) => void,
): Promise<string[]> {
  const stop = new AbortController();
  const texts: string[] = [];
  for await (const { text } of followLogs(journal.path, programs, count, stop.signal)) {
    texts.push(text);
    if (texts.length === total) stop.abort();
    act(texts.length);
  }
  return texts;
}

test("following begins with the last lines and goes on with half a line that is ended, and across a rotation", async () => {
  const path = logFile(journal.path, "cortex");
  write("cortex", `${line(1)}${line(2)}{"time":`);
  const texts = await follow(["cortex"], 1, 4, (heard) => {
    if (heard === 1) appendFileSync(path, "3}\n");
    if (heard !== 2) return;
    appendFileSync(path, line(4));
    renameSync(path, `${path}.1`);
    appendFileSync(`${path}.1`, ""); // nobody writes to a file that was renamed
    writeFileSync(path, line(5));
  });
  expect(texts.map((text) => (JSON.parse(text) as { time: number }).time)).toEqual([2, 3, 4, 5]);
});

test("a log that isn't there yet, or not any more, is followed once it is there", async () => {
  write("mcp-tools", line(1));
  const texts = await follow(["cortex", "mcp-tools"], 10, 3, (heard) => {
    if (heard === 1) write("cortex", line(2));
    if (heard === 2) {
      rmSync(logFile(journal.path, "cortex"));
      write("cortex", line(3));
    }
  });
  expect(texts).toHaveLength(3);
});

test("a log that rotates all the time is followed without a gap", async () => {
  const path = logFile(journal.path, "cortex");
  const writer = spawn(process.execPath, [numbers, path, "1", "20000", "600000", "4"], { stdio: "ignore" });
  const exited = once(writer, "exit");
  const texts = await follow(["cortex"], 100_000, 20_000, () => {});
  await exited;
  expect(texts.map((text) => (JSON.parse(text) as { number: number }).number)).toEqual(
    Array.from({ length: 20_000 }, (_, at) => at + 1),
  );
});
