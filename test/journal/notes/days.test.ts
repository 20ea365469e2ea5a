import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { filesOfDay, listDays } from "../../../journal/notes/days.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "days-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

test("the days are the folders that are dates of the calendar, the oldest first", () => {
  for (const name of ["20250110", "20250109", "20250230", "2025", "runs", "facets", ".run"])
    mkdirSync(join(journal, name));
  writeFileSync(join(journal, "20250111"), "a file");
  symlinkSync("/tmp", join(journal, "20250112"));
  expect(listDays(journal)).toEqual(["20250109", "20250110"]);
});

test("a day's files are listed with their sizes, in order, without hidden ones and links", () => {
  mkdirSync(join(journal, "20250109", "calls"), { recursive: true });
  mkdirSync(join(journal, "20250109", ".git"));
  for (const name of ["notes.md", "calls/ada.txt", ".hidden", ".git/x", "photo.png"])
    writeFileSync(join(journal, "20250109", name), "12345");
  symlinkSync("/etc/passwd", join(journal, "20250109", "link.md"));
  expect(filesOfDay(journal, "20250109")).toEqual([
    { path: "20250109/calls/ada.txt", bytes: 5 },
    { path: "20250109/notes.md", bytes: 5 },
    { path: "20250109/photo.png", bytes: 5 },
  ]);
});

test("a day without a folder, or with a link as one, has no files, and what isn't a day is refused", () => {
  symlinkSync("/etc", join(journal, "20250109"));
  expect(filesOfDay(journal, "20250109")).toEqual([]);
  expect(filesOfDay(journal, "20250110")).toEqual([]);
  for (const day of ["../x", "", "20250230", "2025-01-09"])
    expect(() => filesOfDay(journal, day)).toThrow("expected YYYYMMDD");
});
