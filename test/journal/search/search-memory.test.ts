import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { searchMemory } from "../../../journal/search/search-memory.ts";

let journal: string;

beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "search-memory-"));
});
afterEach(() => rmSync(journal, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(journal, "memory", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const find = async (query: string, limit = 10) => (await searchMemory(journal, { query, limit })).hits;
const places = async (query: string) => (await find(query)).map(({ path, line }) => `${path}:${line}`);

test("a passage is found with its file, line and time, by its words, its headings and the file's name", async () => {
  const file = write("people/anna.md", "# Anna\n\n> Summary: a friend\n\nLikes tea.\nLives in 北京.\n");
  write("user.md", "# Wishes\n\nA greenhouse.\n");
  expect(await find("北京")).toEqual([
    { path: "people/anna.md", line: 6, ts: Math.trunc(statSync(file).mtimeMs), snippet: "Lives in 北京." },
  ]);
  expect(await places("tea")).toEqual(["people/anna.md:5"]);
  expect(await places("wish greenhouse")).toEqual(["user.md:1"]);
  expect(await places("people")).toEqual(["people/anna.md:1"]);
});

test("passages with all words come before those with some, and a limit holds", async () => {
  write("a.md", "tea tea tea\n");
  write("b.md", "Anna has tea.\n");
  expect(await places("anna tea")).toEqual(["b.md:1", "a.md:1"]);
  expect(await find("tea", 1)).toHaveLength(1);
});

test("of passages that say as much, that of the file that was written last comes first", async () => {
  utimesSync(write("a.md", "tea\n"), 1, 1);
  utimesSync(write("b.md", "tea\n"), 3, 3);
  utimesSync(write("c.md", "tea\n"), 2, 2);
  expect(await places("tea")).toEqual(["b.md:1", "c.md:1", "a.md:1"]);
});

test("files that aren't of the memory, hidden ones and links aren't read", async () => {
  writeFileSync(join(journal, "secret.md"), "walrus\n");
  write("a.txt", "walrus\n");
  write(".hidden.md", "walrus\n");
  symlinkSync(join(journal, "secret.md"), join(journal, "memory", "link.md"));
  symlinkSync(journal, join(journal, "memory", "folder"));
  mkdirSync(join(journal, "memory", "folder.md"));
  expect(await places("walrus")).toEqual([]);
});

test("an empty memory and a question without words find nothing", async () => {
  expect(await places("walrus")).toEqual([]);
  write("a.md", "walrus\n");
  expect(await places("?")).toEqual([]);
});
