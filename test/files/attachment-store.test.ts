import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readAttachment, shownName, storeAttachment, storedAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { imageSize } from "../../protocol/files/image-size.ts";
import { mediaType } from "../../protocol/files/media-type.ts";
import { bombPng, pdf, png, wav } from "../support/files/sample-files.ts";

const root = mkdtempSync(join(tmpdir(), "cortex-attachments-"));
afterAll(() => rmSync(root, { recursive: true }));
let number = 0;
const newFolder = () => join(root, String(number++));
const rules = { maxBytes: 10_000, kinds: ["image/*", "application/pdf", "text/*"] };

test("a content is stored once, under its hash, with what it is beside it, for its owner alone", async () => {
  const folder = newFolder();
  const content = png();
  const id = createHash("sha256").update(content).digest("hex");
  const part = await storeAttachment(folder, "photo.png", [content], rules);
  expect(part).toEqual({ type: "file", id, name: "photo.png", mime: "image/png", size: content.length });
  await storeAttachment(folder, "again.png", [content.subarray(0, 9), content.subarray(9)], rules);
  expect(readdirSync(folder)).toEqual([id.slice(0, 2)]);
  expect(readdirSync(join(folder, id.slice(0, 2)))).toEqual([id, `${id}.json`]);
  const path = join(folder, id.slice(0, 2), id);
  expect(JSON.parse(readFileSync(`${path}.json`, "utf8"))).toEqual({
    name: "photo.png",
    mime: "image/png",
    size: content.length,
    created: expect.any(Number),
  });
  expect([folder, join(folder, id.slice(0, 2))].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  expect([path, `${path}.json`].map((each) => statSync(each).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(await readAttachment(folder, id, 10_000)).toEqual(content);
});

test("a content whose record was never written is good, and one that was cut is written anew", async () => {
  const folder = newFolder();
  const { id } = await storeAttachment(folder, "a.pdf", [pdf()], rules);
  const path = join(folder, id.slice(0, 2), id);
  rmSync(`${path}.json`);
  expect(await storedAttachment(folder, id)).toMatchObject({ id, mime: "application/pdf", size: pdf().length });
  writeFileSync(path, "%PDF-");
  await storeAttachment(folder, "a.pdf", [pdf()], rules);
  expect(readFileSync(path)).toEqual(pdf());
  expect(await storedAttachment(folder, id)).toMatchObject({ name: "a.pdf" });
});

test("an attachment that is too large, empty, of another kind, or breaks off, leaves nothing", async () => {
  const folder = newFolder();
  async function* breaking() {
    yield png();
    throw new Error("broken off");
  }
  await expect(storeAttachment(folder, "x.txt", [Buffer.alloc(10_001, "x")], rules)).rejects.toThrow(/larger than/);
  await expect(storeAttachment(folder, "x.txt", [], rules)).rejects.toThrow(AttachmentError);
  await expect(storeAttachment(folder, "x.png", [Buffer.from("\x7fELF\x02\x00", "latin1")], rules)).rejects.toThrow(
    "its kind isn't taken (application/octet-stream)",
  );
  await expect(storeAttachment(folder, "x.png", breaking(), rules)).rejects.toThrow("broken off");
  expect(readdirSync(folder)).toEqual([]);
});

test("what a killed program has left unfinished is removed a day later", async () => {
  const folder = newFolder();
  mkdirSync(folder);
  for (const name of ["old.tmp", "new.tmp"]) writeFileSync(join(folder, name), "half");
  utimesSync(join(folder, "old.tmp"), 1, 1);
  await storeAttachment(folder, "a.txt", [Buffer.from("text")], rules);
  expect(existsSync(join(folder, "old.tmp"))).toBe(false);
  expect(existsSync(join(folder, "new.tmp"))).toBe(true);
});

test.each([
  ["photo.jpg", png(), "image/png"],
  ["photo.png", pdf(), "application/pdf"],
  ["a.pdf", Buffer.from("<html><script>"), "text/plain"],
  ["notes.md", Buffer.from("# Ü\n"), "text/markdown"],
  ["cut.txt", Buffer.from("ü").subarray(0, 1), "text/plain"],
  ["a.svg", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"), "text/plain"],
  ["a.txt", Buffer.from([0x80, 0x81]), "application/octet-stream"],
  ["a.txt", Buffer.from("a\u0000b"), "application/octet-stream"],
  [
    "a.docx",
    Buffer.from("PK\u0003\u0004rest", "latin1"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  ["a.exe", Buffer.from("PK\u0003\u0004rest", "latin1"), "application/zip"],
  ["voice", wav(), "audio/wav"],
])("the type of %s is told by its content", (name, content, mime) => {
  expect(mediaType(content, name)).toBe(mime);
});

test("the size of an image is read from its header, however small the rest is", () => {
  expect(imageSize(png(30, 20), "image/png")).toEqual({ width: 30, height: 20 });
  expect(imageSize(bombPng(), "image/png")).toEqual({ width: 60_000, height: 60_000 });
  expect(imageSize(png().subarray(0, 18), "image/png")).toBeNull();
  const jpeg = Buffer.from("ffd8ffe000104a46494600010100000100010000ffc00011080102030403011100021100031100", "hex");
  expect(imageSize(jpeg, "image/jpeg")).toEqual({ width: 0x0304, height: 0x0102 });
  expect(imageSize(jpeg.subarray(0, 20), "image/jpeg")).toBeNull();
});

test.each([
  ["photo 1.jpg", "photo 1.jpg"],
  ["../../cortex.json", "cortex.json"],
  ["..\\..\\evil.exe", "evil.exe"],
  [".bashrc", "bashrc"],
  ["a\u0000c\u202Ed\n.txt", "a_c_d_.txt"],
  ["x] [file y", "x_ _file y"],
  ["", "file"],
  ["..", "file"],
  ["\ud800.png", "\ufffd.png"],
  [`${"報告".repeat(50)}.pdf`, `${"報告".repeat(32)}報.pdf`],
])("%j is shown as %s", (name, expected) => {
  expect(shownName(name)).toBe(expected);
});
