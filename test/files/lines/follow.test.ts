import { appendFileSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { follow } from "../../../files/lines/follow.ts";
import { until } from "../../proc/runs/shim-runs.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cortex-follow-"));
  path = join(folder, "out");
  writeFileSync(path, "");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test("bytes appended while a file is read arrive whole and in order, to the last one before the end", async () => {
  const ended = Promise.withResolvers<void>();
  const expected: string[] = [];
  let count = 0;
  const append = () => {
    const text = `${count++} ${"x".repeat(count % 97)}\n`;
    expected.push(text);
    appendFileSync(path, text);
  };
  append();
  const writing = setInterval(() => {
    for (let burst = 0; burst < count % 7; burst++) append();
    append();
    if (count < 2000) return;
    clearInterval(writing);
    append(); // the terminal event, and the end at once behind it
    ended.resolve();
  }, 1);
  expect(await textOf(follow(path, 0, ended.promise))).toBe(expected.join(""));
});

test("reading begins at the offset, and a file larger than a chunk comes whole", async () => {
  const bytes = Buffer.alloc(3_000_001, "0123456789");
  writeFileSync(path, bytes);
  expect((await textOf(follow(path, 7, Promise.resolve()))) === bytes.subarray(7).toString()).toBe(true);
});

test("an end that fails is an end", async () => {
  appendFileSync(path, "all");
  expect(await textOf(follow(path, 0, Promise.reject(new Error("the life line broke"))))).toBe("all");
});

test("a quiet file is followed without a word, and its next line is seen without waiting for the timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] }); // which stands still
  const ended = Promise.withResolvers<void>();
  const chunks = follow(path, 0, ended.promise);
  const next = chunks.next();
  await until(() => openFiles().includes(path), "it has the file open, and looks");
  appendFileSync(path, "now");
  expect(String((await next).value)).toBe("now");
  ended.resolve();
  expect((await chunks.next()).done).toBe(true);
});

test("whoever stops reading leaves no descriptor open", async () => {
  for (let round = 0; round < 20; round++) {
    appendFileSync(path, "x");
    for await (const _ of follow(path, 0, new Promise(() => {}))) break;
  }
  expect(openFiles()).not.toContain(path);
});

test("a file that isn't there is an error", async () => {
  await expect(follow(join(folder, "none"), 0, Promise.resolve()).next()).rejects.toThrow("ENOENT");
});

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return ""; // the one that reads the folder
    }
  });
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: string[] = [];
  for await (const chunk of chunks) parts.push(chunk.toString());
  return parts.join("");
}
