import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { saveResult } from "../../journal/saved-results.ts";
import { day, temporaryJournal } from "./temporary-journal.ts";

test("a result is saved into its day, in subfolders too, and replaces a former one", async () => {
  using journal = temporaryJournal();
  expect(await saveResult(journal.path, day, "digest.md", "one")).toBe(`${day}/digest.md`);
  expect(await saveResult(journal.path, day, "a/b/ä c.md", "two\n")).toBe(`${day}/a/b/ä c.md`);
  expect(await saveResult(journal.path, day, "digest.md", "three")).toBe(`${day}/digest.md`);
  expect(readFileSync(join(journal.path, day, "digest.md"), "utf8")).toBe("three\n");
  expect(readFileSync(join(journal.path, day, "a/b/ä c.md"), "utf8")).toBe("two\n");
  expect(statSync(join(journal.path, day, "digest.md")).mode & 0o777).toBe(0o644);
  expect(readdirSync(join(journal.path, day)).toSorted()).toEqual(["a", "digest.md"]);
});

test.each([
  "../x",
  "a/../../x",
  "/etc/x",
  "..",
  ".",
  "",
  "a//b",
  ".hidden",
  "a/.hidden",
  "a\\b",
  "a\u0000b",
  "a\nb",
  "a/",
])("the name %j is refused, and nothing is written", async (save) => {
  using journal = temporaryJournal();
  await expect(saveResult(journal.path, day, save, "x")).rejects.toThrow("expected a file name");
  expect(existsSync(join(journal.path, day))).toBe(false);
  expect(existsSync(join(journal.path, "x"))).toBe(false);
});

test.each(["2025019", "20250230", "../2025", "", "20250109/..", "today"])("the day %j is refused", async (wrong) => {
  using journal = temporaryJournal();
  await expect(saveResult(journal.path, wrong, "x.md", "x")).rejects.toThrow("expected a date");
});

test("no link leads a result out of its day", async () => {
  using journal = temporaryJournal();
  const outside = mkdtempSync(join(tmpdir(), "cortex-outside-"));
  try {
    mkdirSync(join(journal.path, day));
    writeFileSync(join(outside, "file"), "theirs");
    symlinkSync(outside, join(journal.path, day, "folder"));
    symlinkSync(join(outside, "file"), join(journal.path, day, "file.md"));
    symlinkSync(join(outside, "not-yet"), join(journal.path, day, "dangling.md"));
    symlinkSync(outside, join(journal.path, "20250110"));
    symlinkSync(join(journal.path, day), join(journal.path, "20250111"));
    const attempts = [
      [day, "folder/x.md"],
      [day, "folder/deeper/x.md"],
      [day, "file.md"],
      [day, "dangling.md"],
      ["20250110", "x.md"],
      ["20250111", "x.md"],
    ] as const;
    for (const [when, save] of attempts)
      await expect(saveResult(journal.path, when, save, "x"), `${when}/${save}`).rejects.toThrow(/outside|elsewhere/);
    expect(readdirSync(outside)).toEqual(["file"]);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("theirs");
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test("a name that is taken by a folder is an error, and no temporary file stays", async () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, day, "taken"), { recursive: true });
  await expect(saveResult(journal.path, day, "taken", "x")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(join(journal.path, day))).toEqual(["taken"]);
});
