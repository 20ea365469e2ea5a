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
import { savedPaths } from "../../journal/saves/saved-records.ts";
import { saveResult } from "../../journal/saves/saved-results.ts";
import { day, temporaryJournal } from "./temporary-journal.ts";

test("a result is saved into its day, in subfolders too, and replaces a former one", async () => {
  using journal = temporaryJournal();
  expect(await saveResult(journal.path, day, "digest.md", "one")).toBe(`${day}/digest.md`);
  expect(await saveResult(journal.path, day, "a/b/ä c.md", "two\n")).toBe(`${day}/a/b/ä c.md`);
  expect(await saveResult(journal.path, day, "digest.md", "three")).toBe(`${day}/digest.md`);
  expect(readFileSync(join(journal.path, day, "digest.md"), "utf8")).toBe("three\n");
  expect(readFileSync(join(journal.path, day, "a/b/ä c.md"), "utf8")).toBe("two\n");
  expect(statSync(join(journal.path, day, "digest.md")).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(journal.path, day)).toSorted()).toEqual([".former", "a", "digest.md"]);
  expect(readFileSync(join(journal.path, day, ".former/digest.md"), "utf8")).toBe("one\n");
  expect(savedPaths(journal.path).toSorted()).toEqual([`${day}/a/b/ä c.md`, `${day}/digest.md`]);
});

test("a replaced file is kept once, even when the same result is saved again after a crash", async () => {
  using journal = temporaryJournal();
  const former = () => readFileSync(join(journal.path, day, ".former/sub/digest.md"), "utf8");
  for (const text of ["one", "two", "two"]) await saveResult(journal.path, day, "sub/digest.md", text);
  expect(former()).toBe("one\n");
  await saveResult(journal.path, day, "sub/digest.md", "three");
  expect(former()).toBe("two\n");
  expect(readdirSync(join(journal.path, day, ".former/sub"))).toEqual(["digest.md"]);
});

test("a file that no run has saved, or that was changed since, is never overwritten", async () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, day));
  const path = join(journal.path, day, "notes.md");
  writeFileSync(path, "by hand");
  const saving = saveResult(journal.path, day, "notes.md", "by a run");
  await expect(saving).rejects.toThrow(`${day}/notes.md isn't what a run has saved there`);
  await expect(saving).rejects.toThrow('"save_conflict": "beside"');
  expect(readFileSync(path, "utf8")).toBe("by hand");
  await saveResult(journal.path, day, "digest.md", "by a run");
  writeFileSync(join(journal.path, day, "digest.md"), "by a hand\n"); // of the same length
  await expect(saveResult(journal.path, day, "digest.md", "again")).rejects.toThrow("isn't what a run has saved");
  expect(readdirSync(join(journal.path, day)).toSorted()).toEqual(["digest.md", "notes.md"]);
});

test("a setting lets a result stand beside what isn't a run's, under a name that the next run uses again", async () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, day));
  for (const name of ["notes.md", "notes-2.md"]) writeFileSync(join(journal.path, day, name), "by hand");
  const save = (text: string) => saveResult(journal.path, day, "notes.md", text, "beside");
  expect(await save("one")).toBe(`${day}/notes-3.md`);
  expect(await save("two")).toBe(`${day}/notes-3.md`);
  expect(readFileSync(join(journal.path, day, "notes-3.md"), "utf8")).toBe("two\n");
  expect(readFileSync(join(journal.path, day, ".former/notes-3.md"), "utf8")).toBe("one\n");
  for (const name of ["notes.md", "notes-2.md"])
    expect(readFileSync(join(journal.path, day, name), "utf8")).toBe("by hand");
});

test("a note that appears while a result is written stays, and so does one that is changed meanwhile", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, day, "digest.md");
  const first = saveResult(journal.path, day, "digest.md", "one");
  // It has looked, and waits for the disk.
  writeFileSync(path, "by hand");
  await expect(first).rejects.toThrow("isn't what a run has saved");
  expect(readFileSync(path, "utf8")).toBe("by hand");
  rmSync(path);
  await saveResult(journal.path, day, "digest.md", "two");
  const second = saveResult(journal.path, day, "digest.md", "three");
  await Promise.resolve(); // its turn has come
  writeFileSync(path, "by hand, quicker");
  await expect(second).rejects.toThrow("isn't what a run has saved");
  expect(readFileSync(path, "utf8")).toBe("by hand, quicker");
});

test("a lost or broken record makes a saved result somebody's own, which stays", async () => {
  using journal = temporaryJournal();
  await saveResult(journal.path, day, "digest.md", "one");
  const records = join(journal.path, ".state/saves", day);
  for (const name of readdirSync(records)) writeFileSync(join(records, name), '{"path":');
  await expect(saveResult(journal.path, day, "digest.md", "two")).rejects.toThrow("stays as it is");
  expect(savedPaths(journal.path)).toEqual([]);
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
  await expect(saveResult(journal.path, day, "taken", "x")).rejects.toThrow("stays as it is");
  expect(readdirSync(join(journal.path, day))).toEqual(["taken"]);
});

test("a name that has too many bytes for a file is cut, its ending kept, and the path says so", async () => {
  using journal = temporaryJournal();
  const path = await saveResult(journal.path, day, `${"会議".repeat(90)}/${"報告".repeat(90)}.md`, "one");
  expect(path).toMatch(new RegExp(`^${day}/[会議]+/[報告]+\\.md$`));
  expect(readFileSync(join(journal.path, path), "utf8")).toBe("one\n");
  expect(await saveResult(journal.path, day, `${"会議".repeat(90)}/${"報告".repeat(90)}.md`, "two")).toBe(path);
  expect(readFileSync(join(journal.path, path), "utf8")).toBe("two\n");
});
