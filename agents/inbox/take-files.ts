/** Files of messages become stored ones: an item of the inbox names each by its id, or says why it isn't there. */
import type { AttachmentRules } from "../../files/attachment-rules.ts";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { takeAttachment } from "../../journal/attachments/take-attachments.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import type { InboxItem } from "../../protocol/agents/agent-files.ts";
import { type AttachmentRef, type FilePart, maxAttachments } from "../../protocol/files/attachment.ts";

/** The same files, stored. One that can't be taken is kept as a name with its problem: its message is read all the same. */
export function takeFiles(
  journal: string,
  attachments: readonly Attachment[],
  rules: AttachmentRules,
): Promise<Attachment[]> {
  return Promise.all(attachments.map((one) => takeFile(journal, one, rules)));
}

async function takeFile(journal: string, attachment: Attachment, rules: AttachmentRules): Promise<Attachment> {
  const { id, path, data, ...told } = attachment;
  const { name } = told;
  if (told["problem"] !== undefined || (id ?? path ?? data) === undefined) return told;
  const ref: AttachmentRef = {
    ...(name !== undefined && { name }),
    ...(id !== undefined ? { id } : path !== undefined ? { path } : { data }),
  };
  try {
    const part = await takeAttachment(ref, { journal }, rules);
    return { id: part.id, name: part.name, mime: part.mime, size: part.size };
  } catch (error) {
    if (!(error instanceof AttachmentError)) throw error;
    return { name: name ?? path ?? "file", problem: error.message };
  }
}

/** The stored files of items, by reference, as a request or an input names them. */
export function refsOf(items: readonly InboxItem[]): { id: string; name: string }[] {
  return partsOf(items)
    .slice(-maxAttachments)
    .map(({ id, name }) => ({ id, name }));
}

/** The stored files of items, as parts of a conversation. */
export function partsOf(items: readonly InboxItem[]): FilePart[] {
  return items.flatMap(({ attachments = [] }) =>
    attachments.flatMap(({ id, name = "file", mime, size }) =>
      id === undefined || mime === undefined || size === undefined
        ? []
        : [{ type: "file" as const, id, name, mime, size }],
    ),
  );
}
