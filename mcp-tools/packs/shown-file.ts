/**
 * Files that are more than text, as `read` shows them: images, PDFs and sound, of a folder or of the conversation, as far as the
 * settings take files of their size and kind.
 */
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { kindNotTaken, readAttachment, storedAttachment, tooLarge } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentRules, attachmentsFolder, contentOf } from "../../journal/attachments/take-attachments.ts";
import { workFilePath, type Workplace } from "../../journal/agents/work-files.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { type LineRange, readLines, type Resource } from "../../journal/notes/resources.ts";
import { attachmentIdPattern, contentPath } from "../../protocol/files/attachment.ts";
import { headBytes, isOfKinds, isTextType, mediaType } from "../../protocol/files/media-type.ts";
import type { ToolFile } from "../tool/tool.ts";
import { ToolError } from "../tool/tool-error.ts";

/** Bytes for which an answer over HTTP has room. */
const mostShown = 16 * 1024 * 1024;
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
  checkTaken(journal, part);
  const content = await readAttachment(folder, id, mostShown).catch(refuse);
  if (!content) throw new ToolError("nothing is stored under that id");
  return { name: part.name, mime: part.mime, content };
}

/** A file of a folder that is shown rather than read as text; null: it is text, or anything else. @throws ToolError */
export async function readShown(journal: string, work: Workplace, path: string): Promise<ToolFile | null> {
  const real = workFilePath(work, path);
  const name = basename(real);
  const { head, size } = await headOf(real);
  const mime = mediaType(head, name);
  if (!isOfKinds(mime, shownKinds)) return null;
  checkTaken(journal, { name, mime, size });
  try {
    const pieces: Uint8Array[] = [];
    for await (const piece of contentOf(real, mostShown)) pieces.push(piece);
    return { name, mime, content: Buffer.concat(pieces) };
  } catch (error) {
    return refuse(error);
  }
}

/** @throws ToolError for a file that the settings don't take, or an answer has no room for */
function checkTaken(journal: string, { name, mime, size }: { name: string; mime: string; size: number }): void {
  const { maxBytes, kinds } = attachmentRules(usableSettings(journal).settings);
  if (!isOfKinds(mime, kinds)) throw new ToolError(`${name} can't be shown: ${kindNotTaken(mime)}`);
  if (size > maxBytes) throw new ToolError(`${name} can't be shown: ${tooLarge(maxBytes)}`);
  if (size > mostShown) throw new ToolError(`${name} can't be shown: it has ${size} bytes, of at most ${mostShown}`);
}

async function headOf(path: string): Promise<{ head: Buffer; size: number }> {
  await using file = await open(path, "r");
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return { head: buffer.subarray(0, bytesRead), size };
}

function refuse(error: unknown): never {
  throw error instanceof AttachmentError ? new ToolError(error.message) : error;
}
