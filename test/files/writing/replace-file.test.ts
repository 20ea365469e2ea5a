import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { replaceFile } from "../../../files/writing/replace-file.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";

test("a reader finds one text or the other, whole, however often it is replaced", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "folder", "file");
  const texts = ["a", "b"].map((letter) => letter.repeat(200_000));
  await replaceFile(path, texts[0] ?? "");
  const done = new AbortController();
  const writing = (async () => {
    for (let round = 0; round < 20; round++)
      await Promise.all([replaceFile(path, texts[0] ?? ""), replaceFile(path, texts[1] ?? "")]);
    done.abort();
  })();
  while (!done.signal.aborted) {
    expect(texts.includes(readFileSync(path, "utf8"))).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
  expect(readdirSync(join(journal.path, "folder"))).toEqual(["file"]);
});

test("a file is its owner's alone unless it is said otherwise", async () => {
  using journal = temporaryJournal();
  const path = join(journal.path, "file");
  writeFileSync(path, "old");
  chmodSync(path, 0o644);
  await replaceFile(path, "secret");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await replaceFile(path, "for all", 0o644);
  expect(statSync(path).mode & 0o777).toBe(0o644);
});

test("a file that can't be replaced stays, and no temporary file does", async () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, "folder/inner"), { recursive: true });
  await expect(replaceFile(join(journal.path, "folder"), "x")).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(journal.path).filter((name) => name.includes("tmp"))).toEqual([]);
});

test("a file with the longest possible name is replaced", async () => {
  using journal = temporaryJournal();
  for (const name of ["n".repeat(255), "報".repeat(85)]) {
    await replaceFile(join(journal.path, name), "one");
    await replaceFile(join(journal.path, name), "two");
    expect(readFileSync(join(journal.path, name), "utf8")).toBe("two");
  }
});
