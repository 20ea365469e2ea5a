import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { maxFileBytes } from "../../../journal/editing/facet-file.ts";
import { newsDays, newsPath, writeNews } from "../../../journal/entries/news.ts";
import { type FacetJournal, facetJournal } from "../facet-journal.ts";

const day = "20250118";

let journal: FacetJournal;
beforeEach(() => {
  journal = facetJournal();
});
afterEach(() => journal[Symbol.dispose]());

const write = (text: string) => writeNews(journal.path, "garden", day, text);

test("news are written as they are given, ended by a line feed, in place of former ones", async () => {
  expect(await write("# News\n\nNothing.")).toEqual({
    path: `facets/garden/news/${day}.md`,
    line: 1,
    text: "# News",
    changed: true,
    replaced: false,
  });
  expect(journal.read(`news/${day}.md`)).toBe("# News\n\nNothing.\n");
  expect(await write("# News\n\nNothing.\n")).toMatchObject({ changed: false, replaced: false });
  expect(await write("# Else\r\n")).toMatchObject({ changed: true, replaced: true });
  expect(journal.read(`news/${day}.md`)).toBe("# Else\r\n");
  expect(journal.names("news")).toEqual([`${day}.md`]);
});

test("the days that have news are known, whatever else stands there", () => {
  for (const name of ["20250119.md", "20250112.md", "20250230.md", "notes.md", ".20250120.md", "20250121.md.tmp"])
    journal.write(`news/${name}`, "x\n");
  expect(newsDays(journal.path, "garden")).toEqual(["20250112", "20250119"]);
  expect(newsPath(journal.path, "garden", day)).toBe(`facets/garden/news/${day}.md`);
});

test("news that would leave the facet or its size are refused, and nothing is written", async () => {
  await expect(writeNews(journal.path, "garden", "../20250118", "x")).rejects.toThrow("expected YYYYMMDD");
  await expect(writeNews(journal.path, "nobody", day, "x")).rejects.toThrow("the facets are garden");
  await expect(write("x".repeat(maxFileBytes + 1))).rejects.toThrow("are allowed");
  expect(journal.names("news")).toEqual([]);
  const outside = join(journal.path, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, `${day}.md`), "theirs\n");
  symlinkSync(outside, journal.at("news"));
  await expect(write("x")).rejects.toThrow("is a link");
  expect(journal.read(`../../outside/${day}.md`)).toBe("theirs\n");
});
