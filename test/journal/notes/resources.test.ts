import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readResource, ResourceError } from "../../../journal/notes/resources.ts";

let journal: string;
beforeEach(() => {
  journal = mkdtempSync(join(tmpdir(), "resources-"));
});
afterEach(() => rmSync(journal, { recursive: true }));

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(journal, path)), { recursive: true });
  writeFileSync(join(journal, path), content);
}

test("a file is read whole, or from one line to another", () => {
  write("20250109/a.md", "one\r\ntwo\n\nfour");
  expect(readResource(journal, "20250109/a.md")).toEqual({
    path: "20250109/a.md",
    from: 1,
    to: 4,
    lines: ["one", "two", "", "four"],
    isCut: false,
  });
  expect(readResource(journal, "20250109/a.md", { from: 2, to: 3 }).lines).toEqual(["two", ""]);
  expect(readResource(journal, "20250109/a.md", { from: 4, to: 99 }).lines).toEqual(["four"]);
  expect(() => readResource(journal, "20250109/a.md", { from: 5 })).toThrow("has 4 lines: there is no line 5");
  expect(() => readResource(journal, "20250109/a.md", { from: 3, to: 2 })).toThrow("from 3 is after to 2");
});

test("an empty file has no lines", () => {
  write("20250109/a.md", "");
  expect(readResource(journal, "20250109/a.md")).toMatchObject({ from: 1, to: 0, lines: [], isCut: false });
});

test("a long file is cut, and reading continues where it was cut until all was seen", () => {
  write("20250109/a.txt", Array.from({ length: 1_200 }, (_, index) => `${index + 1} ${"x".repeat(200)}\n`).join(""));
  const seen: string[] = [];
  for (let from = 1; ; ) {
    const { lines, to, isCut } = readResource(journal, "20250109/a.txt", { from });
    expect(lines.join("\n").length).toBeLessThan(33_000);
    seen.push(...lines.map((line) => line.split(" ")[0] ?? ""));
    if (!isCut) break;
    from = to + 1;
  }
  expect(seen).toEqual(Array.from({ length: 1_200 }, (_, index) => String(index + 1)));
});

test("a line of 20 MB is cut, and one after it is still reached", () => {
  write("20250109/a.txt", `${"x".repeat(20_000_000)}\nend\n`);
  const { lines } = readResource(journal, "20250109/a.txt");
  expect(lines[0]?.length).toBeLessThan(8_100);
  expect(lines[0]).toContain("(line cut)");
  expect(lines[1]).toBe("end");
});

test("bytes that aren't UTF-8 are replaced, and what isn't text is refused", () => {
  write("20250109/a.md", Buffer.from([0x61, 0xff, 0x62, 0x0a]));
  expect(readResource(journal, "20250109/a.md").lines).toEqual(["a\ufffdb"]);
  write("20250109/a.png", Buffer.from([0x89, 0, 0, 1]));
  expect(() => readResource(journal, "20250109/a.png")).toThrow("not a text file");
});

test("days and facets can be seen, links inside them that stay there too, and nothing else", () => {
  write("20250109/a.md", "day\n");
  write("facets/work/notes/a.md", "facet\n");
  for (const hidden of ["memory/a.md", ".run/x", "runs/x", "20250109/.x", "cortex.json"]) write(hidden, "secret\n");
  symlinkSync("../20250109/a.md", join(journal, "facets/work.md"));
  symlinkSync("../../20250109/a.md", join(journal, "facets/work/link.md"));
  symlinkSync("../memory", join(journal, "20250109/memory"));
  symlinkSync("/etc/passwd", join(journal, "20250109/passwd"));
  symlinkSync("nowhere", join(journal, "20250109/dangling"));
  symlinkSync("loop", join(journal, "20250109/loop"));
  expect(readResource(journal, "facets/work/notes/a.md").lines).toEqual(["facet"]);
  expect(readResource(journal, "facets/work/link.md").lines).toEqual(["day"]);
  const refused = [
    "memory/a.md",
    ".run/x",
    "runs/x",
    "20250109/.x",
    "cortex.json",
    "20250109/memory/a.md",
    "20250109/passwd",
    "20250109/dangling",
    "20250109/loop",
    "20250109/../memory/a.md",
    "../x",
    "/etc/passwd",
    "",
    ".",
    "20250109/",
    "20250109//a.md",
    "20250109/a.md\0",
    "20250109/none",
    "20250109",
    "facets",
    "facets/work",
    "x".repeat(10_000),
    `20250109/${"x".repeat(10_000)}`,
  ];
  for (const path of refused) expect(() => readResource(journal, path), path.slice(0, 50)).toThrow(ResourceError);
});

test("a file without a line end, however long, is read to a bound", () => {
  write("20250109/endless.txt", Buffer.alloc(70 * 1024 * 1024, "x"));
  const { lines, isCut } = readResource(journal, "20250109/endless.txt");
  expect([lines.length, isCut]).toEqual([1, true]);
  expect(lines[0]).toContain("(line cut)");
  expect(() => readResource(journal, "20250109/endless.txt", { from: 2 })).toThrow("which are read at most");
  write("20250109/sparse.txt", "");
  truncateSync(join(journal, "20250109/sparse.txt"), 12 * 1024 ** 3);
  expect(() => readResource(journal, "20250109/sparse.txt")).toThrow("is not a text file");
});
