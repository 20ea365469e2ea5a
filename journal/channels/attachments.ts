/** Files that came with messages, `agents/attachments/<day>/<message id>-<name>`. Nobody's name leads out of there. */
import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDay } from "../../protocol/names/names.ts";
import { boundedName, temporaryBeside } from "../../files/file-names.ts";
import { inside } from "../config/paths.ts";

/** A file that is longer than allowed. */
export class AttachmentTooLargeError extends Error {
  constructor(maxBytes: number) {
    super(`expected at most ${maxBytes} bytes`);
    this.name = "AttachmentTooLargeError";
  }
}

export type NewAttachment = {
  day: string;
  /** Of its message; it has been checked. */
  id: string;
  /** As the sender has it. */
  name: string;
  content: AsyncIterable<Uint8Array>;
  maxBytes: number;
};

/**
 * Stores a file, whole or not at all. The same one again takes the place of the first.
 * @returns its path relative to the journal, and its size in bytes
 * @throws AttachmentTooLargeError, OutsideError
 */
export async function storeAttachment(
  journal: string,
  { day, id, name, content, maxBytes }: NewAttachment,
): Promise<{ path: string; size: number }> {
  if (!isDay(day)) throw new Error(`"${day}" is not a day: expected YYYYMMDD`);
  const folder = join("agents", "attachments", day);
  await mkdir(inside(journal, folder), { recursive: true, mode: 0o700 });
  const path = join(folder, `${id}-${safeName(name)}`);
  const real = inside(journal, path);
  const temporary = temporaryBeside(real);
  try {
    const size = await write(temporary, content, maxBytes);
    await rename(temporary, real);
    return { path, size };
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function write(path: string, content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
  await using file = await open(path, "wx", 0o600);
  let size = 0;
  for await (const part of content) {
    size += part.byteLength;
    if (size > maxBytes) throw new AttachmentTooLargeError(maxBytes);
    await file.writeFile(part);
  }
  await file.sync();
  return size;
}

/** In bytes: the id of its message stands before it, with up to 128. */
const maxBytesOfName = 100;

/** A name that is one file's and nothing else: no folders, no control or format characters, no leading dot. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? "";
  const plain = last.replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, "_").replace(/^[._-]+/, "");
  return plain === "" ? "file" : boundedName(plain, maxBytesOfName);
}
