import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { AttachedFiles, pastedFile, typedPath } from "../../../scripts/chat/attached-files.ts";
import { temporaryJournal } from "../../journal/temporary-journal.ts";
import { png } from "../../support/files/sample-files.ts";

function folderWith(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), "cortex-pasted-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), png());
  return join(folder, name);
}

test("a pasted line is a file where it is a path of one, however a terminal writes it", () => {
  const path = folderWith("a photo's.png");
  for (const line of [path, ` ${path} `, `"${path}"`, path.replaceAll(/[ ']/g, "\\$&"), pathToFileURL(path).href])
    expect(pastedFile(line)).toBe(path);
  for (const line of ["/stop", "/no/such/file.png", "look at this", `${path} and that`, tmpdir(), `file:///%ff`])
    expect(pastedFile(line)).toBeNull();
});

test.each([
  ["/a/b.png", "/a/b.png"],
  [' "a b.png" ', "a b.png"],
  ["'it is.png'", "it is.png"],
  ["a\\ b.png", "a b.png"],
  ["~/a.png", join(homedir(), "a.png")],
  ["~a.png", "~a.png"],
  ["", ""],
])("a path that is typed as %s is %s", (typed, path) => {
  expect(typedPath(typed)).toBe(path);
});

test("attached files go with the next message, once", async () => {
  using journal = temporaryJournal();
  const files = new AttachedFiles(journal.path);
  const path = folderWith("photo.png");
  expect(await files.attach(path)).toBe(
    `attached photo.png (image/png, ${png().length} bytes): it goes with your next message`,
  );
  const taken = files.takeFiles();
  expect(taken).toMatchObject([{ name: "photo.png", mime: "image/png" }]);
  expect(files.takeFiles()).toEqual([]);
  files.putBack(taken); // its message wasn't sent
  expect(files.takeFiles()).toEqual(taken);
  await expect(files.attach(`${path}.gone`)).rejects.toThrow("it isn't there");
});
