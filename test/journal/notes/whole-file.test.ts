import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activeFile, endedFile } from "../../../journal/runs/run-files.ts";
import { readRunLines, readWholeFile } from "../../../journal/notes/whole-file.ts";

const journal = mkdtempSync(join(tmpdir(), "journal-"));
const id = "1736380800000";
const tooLong = 4 * 1024 * 1024 + 1;

beforeAll(() => {
  mkdirSync(join(journal, "20250109"));
  mkdirSync(dirname(endedFile(journal, id)), { recursive: true });
});
afterAll(() => rmSync(journal, { recursive: true }));

test("a file is its bytes, whatever they are", () => {
  const bytes = Buffer.from([0, 255, 10, 0xe2, 0x82]);
  writeFileSync(join(journal, "20250109/a.bin"), bytes);
  expect(readWholeFile(journal, "20250109/a.bin")).toEqual(bytes);
  // Packed files of the user's are files like others.
  writeFileSync(join(journal, "20250109/a.jsonl.gz"), gzipSync("{}\n"));
  expect(readWholeFile(journal, "20250109/a.jsonl.gz")).toEqual(gzipSync("{}\n"));
});

test("a file that is too long, is not a file or stands elsewhere is refused with the reason", () => {
  writeFileSync(join(journal, "20250109/long.txt"), Buffer.alloc(tooLong));
  execFileSync("mkfifo", [join(journal, "20250109/pipe.txt")]);
  expect(() => readWholeFile(journal, "20250109/long.txt")).toThrow("more than the 4194304 bytes");
  expect(() => readWholeFile(journal, "20250109/pipe.txt")).toThrow("is not a file");
  expect(() => readWholeFile(journal, "20250109/none.txt")).toThrow("does not exist");
  expect(() => readWholeFile(journal, "cortex.json")).toThrow("can't be seen");
});

test("a run is its whole lines, and ended counts more than active", () => {
  expect(readRunLines(journal, id)).toBeNull();
  writeFileSync(activeFile(journal, id), '{"a":1}\n{"b":');
  expect(readRunLines(journal, id)?.toString()).toBe('{"a":1}\n');
  writeFileSync(endedFile(journal, id), '{"a":1}\n{"b":2}\n');
  expect(readRunLines(journal, id)?.toString()).toBe('{"a":1}\n{"b":2}\n');
});

test("a run that unpacks to more than is read, or to nothing, is refused", () => {
  const [bomb, torn] = ["1736380800001", "1736380800002"];
  writeFileSync(`${endedFile(journal, bomb)}.gz`, gzipSync(Buffer.alloc(tooLong)));
  writeFileSync(`${endedFile(journal, torn)}.gz`, gzipSync("{}\n").subarray(0, 12));
  expect(() => readRunLines(journal, bomb)).toThrow(`cortex runs show ${bomb}`);
  expect(() => readRunLines(journal, torn)).toThrow("can't be unpacked");
});
