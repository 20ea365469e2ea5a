import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { defaultMinFreeBytes, freeBytes, hasRoom } from "../../files/free-space.ts";
import { noSmallDisk, SmallDisk } from "../support/files/small-disk.ts";
import { temporaryJournal } from "../journal/temporary-journal.ts";

if (noSmallDisk) console.warn(`SKIPPED: a small disk, ${noSmallDisk}`);

test("free is what df says", () => {
  using journal = temporaryJournal();
  const [, kilobytes] = execFileSync("df", ["-k", "--output=avail", journal.path], { encoding: "utf8" }).split("\n");
  expect(Math.abs(freeBytes(journal.path) / 1024 - Number(kilobytes))).toBeLessThan(1024 * 1024);
  expect(hasRoom(journal.path, 0)).toBe(true);
  expect(hasRoom(journal.path, Number.MAX_SAFE_INTEGER)).toBe(false);
});

test.skipIf(noSmallDisk)("a disk with less than the floor has no room", () => {
  using journal = temporaryJournal();
  using _disk = new SmallDisk(journal.path, 1024 * 1024);
  expect(defaultMinFreeBytes).toBe(268_435_456);
  expect(hasRoom(journal.path)).toBe(false);
  expect(hasRoom(journal.path, 512 * 1024)).toBe(true);
});
