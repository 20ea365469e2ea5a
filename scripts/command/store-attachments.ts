/** Files that commands and programs hand in are stored first: so that they may be large, and the bus has no bytes of them. */
import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { maxDataBytes } from "../../files/attachment-rules.ts";
import { storeAttachment } from "../../files/attachment-store.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { attachmentRules, attachmentsFolder, contentOf } from "../../journal/attachments/take-attachments.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { RejectedError } from "../../bus/runs/client.ts";
import type { AttachmentRef, FilePart } from "../../protocol/files/attachment.ts";
import { exitCodes } from "../../protocol/runs/exit-codes.ts";
import { CommandError } from "./command.ts";

const wholePath = (path: string) => resolve(path.replace(/^~(?=\/)/, homedir()));

/** Stores a file of this machine. @throws AttachmentError */
export async function storeFile(journal: string, path: string): Promise<FilePart> {
  const rules = attachmentRules(usableSettings(journal).settings);
  const whole = wholePath(path);
  return storeAttachment(attachmentsFolder(journal), basename(whole), contentOf(whole, rules.maxBytes), rules);
}

/**
 * Takes the files of `--attach`: stored, or with their content where another journal than the one here is asked.
 * @throws CommandError that names the file
 */
export async function attachFiles(
  journal: string,
  paths: readonly string[],
  isHere: boolean,
): Promise<AttachmentRef[]> {
  const refs: AttachmentRef[] = [];
  for (const path of paths) {
    try {
      refs.push(await (isHere ? storedRef(journal, path) : contentRef(path)));
    } catch (error) {
      if (!(error instanceof AttachmentError)) throw error;
      const hint = "what is taken: attachments in cortex.json";
      throw new CommandError("config", `--attach ${path}: ${error.message}`, hint, exitCodes.usage, { cause: error });
    }
  }
  return refs;
}

async function storedRef(journal: string, path: string): Promise<AttachmentRef> {
  const { id, name } = await storeFile(journal, path);
  return { id, name };
}

async function contentRef(path: string): Promise<AttachmentRef> {
  const whole = wholePath(path);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of contentOf(whole, Infinity)) {
    size += piece.length;
    if (size > maxDataBytes)
      throw new AttachmentError(
        `it is larger than ${maxDataBytes / 1024} KiB, which is what goes to another journal: store it there first, by POST /v1/attachments`,
      );
    pieces.push(Buffer.from(piece));
  }
  return { name: basename(whole), data: Buffer.concat(pieces).toString("base64") };
}

/** The same files with those stored that came with their content. @throws RejectedError for content that can't be read or taken */
export async function storeData(journal: string, refs: readonly AttachmentRef[]): Promise<AttachmentRef[]> {
  const rules = attachmentRules(usableSettings(journal).settings);
  const stored = refs.map(async ({ data, ...ref }): Promise<AttachmentRef> => {
    if (data === undefined) return ref;
    const content = Buffer.from(data, "base64");
    if (content.toString("base64") !== data) throw new AttachmentError("its data isn't base64");
    const { id, name } = await storeAttachment(attachmentsFolder(journal), ref.name ?? "file", [content], rules);
    return { id, name };
  });
  try {
    return await Promise.all(stored);
  } catch (error) {
    if (!(error instanceof AttachmentError)) throw error;
    throw new RejectedError({ error: `attachments: ${error.message}`, reason: "invalid", request: null });
  }
}
