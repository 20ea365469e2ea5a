import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AttachmentTooLargeError, safeName, storeAttachment } from "../../journal/channels/attachments.ts";
import { OutsideError } from "../../journal/config/paths.ts";
import { temporaryJournal } from "./temporary-journal.ts";

async function* parts(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text);
}

const about = { day: "20250109", id: "m1", maxBytes: 10 };

test("a file is stored under its message's id, and the same one again takes its place", async () => {
  using journal = temporaryJournal();
  const store = (...texts: string[]) =>
    storeAttachment(journal.path, { ...about, name: "notes.md", content: parts(...texts) });
  expect(await store("one", "two")).toEqual({ path: "agents/attachments/20250109/m1-notes.md", size: 6 });
  await store("three");
  const folder = join(journal.path, "agents/attachments/20250109");
  expect(readdirSync(folder)).toEqual(["m1-notes.md"]);
  expect(readFileSync(join(folder, "m1-notes.md"), "utf8")).toBe("three");
});

test("a file with a long name in Chinese is stored, also under the longest id", async () => {
  using journal = temporaryJournal();
  const [id, name] = ["m".repeat(128), `${"年度報告書".repeat(50)}.pdf`];
  const { path } = await storeAttachment(journal.path, { ...about, id, name, content: parts("one") });
  expect(path).toMatch(/-(年度報告書)+[年度報告書]*\.pdf$/);
  expect(readFileSync(join(journal.path, path), "utf8")).toBe("one");
});

test("one that is too large, or breaks off, leaves nothing", async () => {
  using journal = temporaryJournal();
  const store = (content: AsyncIterable<Uint8Array>) => storeAttachment(journal.path, { ...about, name: "x", content });
  await expect(store(parts("123456", "789012"))).rejects.toThrow(AttachmentTooLargeError);
  async function* breaking() {
    yield Buffer.from("1");
    throw new Error("broken off");
  }
  await expect(store(breaking())).rejects.toThrow("broken off");
  expect(readdirSync(join(journal.path, "agents/attachments/20250109"))).toEqual([]);
});

test("a link that leads out isn't followed", async () => {
  using journal = temporaryJournal();
  mkdirSync(join(journal.path, "agents/attachments"), { recursive: true });
  symlinkSync(tmpdir(), join(journal.path, "agents/attachments/20250109"));
  const storing = storeAttachment(journal.path, { ...about, name: "x", content: parts("1") });
  await expect(storing).rejects.toThrow(OutsideError);
});

test.each([
  ["photo.jpg", "photo.jpg"],
  ["../../cortex.json", "cortex.json"],
  ["..\\..\\evil.exe", "evil.exe"],
  [".bashrc", "bashrc"],
  ["a b\u0000c\u202Ed\n.txt", "a_b_c_d_.txt"],
  ["Übung 1.pdf", "Übung_1.pdf"],
  ["", "file"],
  ["..", "file"],
  ["/", "file"],
  [`${"x".repeat(300)}.tar.gz`, `${"x".repeat(97)}.gz`],
  // By bytes, and between characters as people see them.
  [`${"報告".repeat(40)}.pdf`, `${"報告".repeat(16)}.pdf`],
  [`${"क्षि".repeat(40)}.md`, `${"क्षि".repeat(8)}.md`],
])("%j is stored as %s", (name, expected) => {
  expect(safeName(name)).toBe(expected);
});
