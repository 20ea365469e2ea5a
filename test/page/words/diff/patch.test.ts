import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { filesOf, type PatchFile } from "../../../../page/words/diff/patch.ts";
import { gitIn, makeRepository, putFiles } from "../../../support/git-repository.ts";

const folder = mkdtempSync(join(tmpdir(), "patch-"));
let files: Map<string, PatchFile>;

beforeAll(() => {
  const numbers = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
  makeRepository(folder, {
    "a.txt": "one\ntwo\nthree\n",
    "long.txt": `${numbers.join("\n")}\n`,
    "old name.txt": `${numbers.toReversed().join("\n")}\n`,
    "link.txt": "a file\n",
    "gone.txt": "bye",
  });
  putFiles(folder, {
    "a.txt": "one\n2\nthree\n--- a/four\n+++ b/five",
    "long.txt": `${numbers.with(2, "3").with(25, "26").join("\n")}\n`,
    'grün "\t.txt': "diff --git a/x b/x\n@@ -1 +1 @@\n",
    "data.bin": Buffer.from([0, 1, 2, 255]),
  });
  renameSync(join(folder, "old name.txt"), join(folder, "new name.txt"));
  for (const path of ["link.txt", "gone.txt"]) unlinkSync(join(folder, path));
  symlinkSync("a.txt", join(folder, "link.txt"));
  gitIn(folder, "add", "-A");
  files = filesOf(gitIn(folder, "diff", "--cached", "-M", "--binary", "--full-index"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const shown = (path: string) =>
  files.get(path)?.parts.map(({ lines }) => lines.map(({ kind, old, fresh, text }) => [kind, old, fresh, text]));

test("a changed file has its lines with their numbers before and after", () => {
  expect(shown("a.txt")).toEqual([
    [
      ["same", 1, 1, "one"],
      ["removed", 2, null, "two"],
      ["added", null, 2, "2"],
      ["same", 3, 3, "three"],
      ["added", null, 4, "--- a/four"],
      ["added", null, 5, "+++ b/five"],
      ["note", null, null, "no end of line"],
    ],
  ]);
  expect(files.get("long.txt")?.parts).toHaveLength(2);
  expect(shown("long.txt")?.[1]?.[0]).toEqual(["same", 23, 23, "line 23"]);
});

test("names are those of the files, whatever signs they have, and a text that looks like a header is text", () => {
  expect([...files.keys()].toSorted()).toEqual(
    ["a.txt", "data.bin", "gone.txt", 'grün "\t.txt', "link.txt", "long.txt", "new name.txt"].toSorted(),
  );
  expect(shown('grün "\t.txt')?.[0]?.map(([, , , text]) => text)).toEqual(["diff --git a/x b/x", "@@ -1 +1 @@"]);
});

test("a rename without changes and a binary have no lines; a file that became a link has both", () => {
  expect(files.get("new name.txt")?.lineCount).toBe(0);
  expect(files.get("data.bin")?.lineCount).toBe(0);
  expect(shown("link.txt")?.map((lines) => lines[0]?.[3])).toEqual(["a file", "a.txt"]);
});
