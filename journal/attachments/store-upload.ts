/** Stores a file that comes as the body of a request. */
import type { Readable } from "node:stream";
import { storeAttachment } from "../../files/attachment-store.ts";
import type { FilePart } from "../../protocol/files/attachment.ts";
import { usableSettings } from "../config/settings.ts";
import { attachmentRules, attachmentsFolder } from "./take-attachments.ts";

/** Sees a body on its way into the store, and may end it with an error: then nothing is stored. */
export type UploadCheck = (content: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/**
 * Stores a body. One that is refused halfway is read to its end all the same: whoever is still sending hears why.
 * @throws AttachmentError for one that isn't taken, and whatever `check` throws
 */
export async function storeUpload(
  journal: string,
  name: string,
  body: Readable,
  check: UploadCheck = (content) => content,
): Promise<FilePart> {
  const content = body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
  try {
    const rules = attachmentRules(usableSettings(journal).settings);
    return await storeAttachment(attachmentsFolder(journal), name, check(content), rules);
  } finally {
    body.resume();
  }
}
