/** Files that are more than text, as `read` shows them: images, PDFs and sound, of a folder or of the conversation. */
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { readAttachment, storedAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentsFolder, contentOf } from "../../journal/attachments/take-attachments.ts";
import { workFilePath, type Workplace } from "../../journal/agents/work-files.ts";
import { type LineRange, readLines, type Resource } from "../../journal/notes/resources.ts";
import { attachmentIdPattern, contentPath } from "../../protocol/files/attachment.ts";
import { headBytes, isOfKinds, isTextType, mediaType } from "../../protocol/files/media-type.ts";
import type { ToolFile } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";

/** Bytes for which an answer over HTTP has room. */
const maxBytes = 16 * 1024 * 1024;
const shownKinds = ["image/*", "audio/*", "application/pdf"];

/** The id in `attachment:<id>`, as the line of a file names it. */
export function attachmentId(path: string): string | null {
  const id = /^attachment:(.*)$/s.exec(path)?.[1];
  if (id !== undefined && !attachmentIdPattern.test(id))
    throw new ToolError(`"${path}" names no file: expected attachment: and 64 hex digits`);
  return id ?? null;
}

/** A file of the conversation: to be shown, or the lines of a text. @throws ToolError, ResourceError */
export async function readStored(journal: string, id: string, lines: LineRange): Promise<ToolFile | Resource> {
  const folder = attachmentsFolder(journal);
  const part = await storedAttachment(folder, id);
  if (!part) throw new ToolError("nothing is stored under that id");
  if (isTextType(part.mime)) return readLines(join(folder, contentPath(id)), part.name, lines);
  if (!isOfKinds(part.mime, shownKinds))
    throw new ToolError(
      `${part.name} is ${part.mime}: it can't be shown. With save it goes into the work folder (into: folder), for commands`,
    );
  const content = await readAttachment(folder, id, maxBytes).catch(refuse);
  if (!content) throw new ToolError("nothing is stored under that id");
  return { name: part.name, mime: part.mime, content };
}

/** A file of a folder that is shown rather than read as text; null: it is text, or anything else. @throws ToolError */
export async function readShown(work: Workplace, path: string): Promise<ToolFile | null> {
  const real = workFilePath(work, path);
  const name = basename(real);
  const mime = mediaType(await headOf(real), name);
  if (!isOfKinds(mime, shownKinds)) return null;
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of contentOf(real, maxBytes)) pieces.push(piece);
    return { name, mime, content: Buffer.concat(pieces) };
  } catch (error) {
    return refuse(error);
  }
}

async function headOf(path: string): Promise<Buffer> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

function refuse(error: unknown): never {
  throw error instanceof AttachmentError ? new ToolError(error.message) : error;
}
