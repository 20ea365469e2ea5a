/** The files of a mail: each is fetched and stored, or named with the reason why it isn't. */
import type { ImapFlow } from "imapflow";
import type { AttachmentRules } from "../../../files/attachment-rules.ts";
import { storeAttachment } from "../../../files/attachment-store.ts";
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import type { Attachment } from "../../../protocol/agents/channel.ts";
import type { MailFile } from "./structure.ts";

/** Most files of a mail, and their bytes together. */
const maxFiles = 32;
const maxTotalBytes = 64 * 1024 * 1024;

/** @param folder of the store */
export async function fetchFiles(
  client: ImapFlow,
  uid: number,
  files: readonly MailFile[],
  { folder, rules }: { folder: string; rules: AttachmentRules },
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  let total = 0;
  for (const file of files.slice(0, maxFiles)) {
    total += file.size;
    if (file.size > rules.maxBytes)
      attachments.push(unfetched(file, `larger than ${rules.maxBytes / 1024 / 1024} MiB`));
    else if (total > maxTotalBytes) attachments.push(unfetched(file, "the files of its mail are too large together"));
    else attachments.push(await fetchFile(client, uid, file, folder, rules));
  }
  return attachments;
}

/** A file that stays where it is. */
export function unfetched({ name, type, size }: MailFile, problem: string): Attachment {
  return { name: name.slice(0, 256), type: type.slice(0, 256), size, problem };
}

/** The files of a mail, each with the same problem. */
export const unfetchedFiles = (files: readonly MailFile[], problem: string): Attachment[] =>
  files.slice(0, maxFiles).map((file) => unfetched(file, problem));

async function fetchFile(
  client: ImapFlow,
  uid: number,
  file: MailFile,
  folder: string,
  rules: AttachmentRules,
): Promise<Attachment> {
  const { content } = await client.download(uid, file.part ?? "1", { uid: true, decodeText: false });
  if (!content) return unfetched(file, "the server doesn't give it");
  try {
    const { id, name, mime, size } = await storeAttachment(
      folder,
      file.name,
      content as AsyncIterable<Uint8Array>,
      rules,
    );
    return { id, name, mime, size };
  } catch (error) {
    // The store says what is wrong with a file; a broken connection is another matter.
    if (!(error instanceof AttachmentError)) throw error;
    return unfetched(file, error.message);
  } finally {
    content.destroy();
  }
}
