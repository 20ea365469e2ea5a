/**
 * The store of files that go with conversations: each content once, under its hash, with a record of what it is beside it.
 * A content stands in its place whole or not at all; one without its record was cut off in between, and is good all the same.
 */
import { createHash, randomBytes } from "node:crypto";
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AttachmentRecord, contentPath, type FilePart } from "../protocol/files/attachment.ts";
import { headBytes, isOfKinds, mediaType } from "../protocol/files/media-type.ts";
import type { AttachmentRules } from "./attachment-rules.ts";
import { noteUse, openContent, recordPath } from "./attachment-use.ts";
import { AttachmentError, AttachmentTooLargeError } from "./errors/attachment-error.ts";
import { hasCode } from "./errors/errno.ts";
import { boundedName } from "./writing/file-names.ts";
import { readDocument } from "./json-document.ts";
import { replaceFile } from "./writing/replace-file.ts";
import { syncFolder } from "./writing/sync-folder.ts";

/** @throws AttachmentError when it is too large, or of a kind that isn't taken */
export async function storeAttachment(
  folder: string,
  name: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  rules: AttachmentRules,
): Promise<FilePart> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweepOnce(folder);
  const shown = shownName(name);
  const temporary = join(folder, `${randomBytes(8).toString("hex")}.tmp`);
  try {
    const { id, size, mime } = await write(temporary, shown, content, rules);
    const part: FilePart = { type: "file", id, name: shown, mime, size };
    const path = join(folder, contentPath(id));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if ((await isWhole(path, size)) && (await noteUse(path))) await rm(temporary);
    else await rename(temporary, path);
    if (!readRecord(folder, id)) await writeRecord(path, part);
    await Promise.all([folder, dirname(path)].map(syncFolder));
    return part;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Finds the file that is stored under an id; null: nothing is. Asking for it is a use of it. */
export async function storedAttachment(folder: string, id: string): Promise<FilePart | null> {
  const path = join(folder, contentPath(id));
  if (!(await noteUse(path))) return null;
  const size = await sizeOf(path);
  if (size === null) return null;
  const known = readRecord(folder, id);
  if (known) return { type: "file", id, name: known.name, mime: known.mime, size };
  await using file = await openContent(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return { type: "file", id, name: id.slice(0, 12), mime: mediaType(buffer.subarray(0, bytesRead), ""), size };
}

/** The content that is stored under an id; null: nothing is. */
export async function readAttachment(folder: string, id: string, maxBytes: number): Promise<Buffer | null> {
  const path = join(folder, contentPath(id));
  try {
    await using file = await openContent(path);
    const { size } = await file.stat();
    if (size > maxBytes) throw new AttachmentError(`it has ${size} bytes: at most ${maxBytes} are read`);
    return await file.readFile();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

type Written = { id: string; size: number; mime: string };

async function write(
  path: string,
  name: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  rules: AttachmentRules,
): Promise<Written> {
  const hash = createHash("sha256");
  let head = Buffer.alloc(0);
  let size = 0;
  await using file: FileHandle = await open(path, "wx", 0o600);
  for await (const part of content) {
    size += part.byteLength;
    if (size > rules.maxBytes) throw new AttachmentTooLargeError(tooLarge(rules.maxBytes));
    if (head.length < headBytes) head = Buffer.concat([head, part.subarray(0, headBytes - head.length)]);
    hash.update(part);
    await file.writeFile(part);
  }
  const mime = mediaType(head, name);
  if (size === 0) throw new AttachmentError("it is empty");
  if (!isOfKinds(mime, rules.kinds)) throw new AttachmentError(kindNotTaken(mime));
  await file.sync();
  return { id: hash.digest("hex"), size, mime };
}

export const tooLarge = (maxBytes: number) =>
  `it is larger than ${maxBytes / 1024 / 1024} MiB (the setting attachments.max_mb)`;

export const kindNotTaken = (mime: string) =>
  `its kind isn't taken (${mime}): the setting attachments.kinds names those that are`;

/** The name as it is shown: no folders, nothing that controls or hides, none of the signs that our lines are made of. */
export function shownName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]<>"|]+/gu, "_")
    .replace(/^[._\s-]+/, "")
    .trim();
  return plain === "" ? "file" : boundedName(plain);
}

function readRecord(folder: string, id: string): AttachmentRecord | null {
  return readDocument(recordPath(join(folder, contentPath(id))), AttachmentRecord);
}

async function writeRecord(path: string, { name, mime, size }: FilePart): Promise<void> {
  const record: AttachmentRecord = { name, mime, size, created: Date.now() };
  await replaceFile(recordPath(path), `${JSON.stringify(record)}\n`);
}

/** Reads the size of a regular file; null: there is none. */
async function sizeOf(path: string): Promise<number | null> {
  try {
    const stats = await lstat(path);
    return stats.isFile() ? stats.size : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

/** The same hash is the same content, unless somebody has cut it since. */
const isWhole = async (path: string, size: number) => (await sizeOf(path)) === size;

const swept = new Set<string>();
const leftoverMs = 24 * 60 * 60 * 1000;

/** Removes what a killed program has left unfinished, a day later. */
async function sweepOnce(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".tmp")) continue;
    const path = join(folder, name);
    const written = await lstat(path).catch(() => null);
    if (written && Date.now() - written.mtimeMs > leftoverMs) await rm(path, { force: true });
  }
}
