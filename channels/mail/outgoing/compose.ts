/** An outbound message as a mail: its headers, its text in two forms, and its files. */
import MailComposer from "nodemailer/lib/mail-composer";
import { readAttachment } from "../../../files/attachment-store.ts";
import { AttachmentError } from "../../../files/errors/attachment-error.ts";
import { attachmentsFolder } from "../../../journal/attachments/take-attachments.ts";
import { readMailThread } from "../../../journal/channels/mail-threads.ts";
import type { Attachment, OutboundMessage } from "../../../protocol/agents/channel.ts";
import { PermanentDeliveryError } from "../../adapter/delivery-errors.ts";
import { markdownHtml } from "./markdown-html.ts";
import { ownMessageId } from "../base/own-message-id.ts";
import { answerHeaders, subjectOf, type ThreadHeaders } from "../base/thread.ts";

/** Bytes of the files of one mail: a third more on its way, and most servers take 25 MB. */
const maxFileBytes = 17 * 1024 * 1024;

/** One of the mails in which a message goes out. */
export type MailPart = OutboundMessage & { mail?: number };

/** The mails in which a message goes out: the text with the files that have room, and the other files behind it. */
export function splitMail(message: OutboundMessage): MailPart[] {
  const mails: Attachment[][] = [[]];
  let bytes = 0;
  for (const file of message.attachments ?? []) {
    const { size = 0 } = file;
    if (bytes > 0 && bytes + size > maxFileBytes) {
      mails.push([]);
      bytes = 0;
    }
    mails.at(-1)?.push(file);
    bytes += size;
  }
  if (mails.length === 1) return [message];
  const { attachments: _all, metadata, ...rest } = message;
  return mails.map((attachments, mail) =>
    mail === 0
      ? { ...rest, attachments, mail, ...(metadata && { metadata }) }
      : { ...rest, text: "", attachments, mail },
  );
}

export type ComposedMail = { messageId: string; content: Buffer };

/** @param to checked before @throws PermanentDeliveryError */
export async function composeMail(journal: string, own: string, to: string, message: MailPart): Promise<ComposedMail> {
  const { id, text, channel, attachments = [], mail = 0 } = message;
  const { replyTo } = channel;
  if (text.trim() === "" && attachments.length === 0)
    throw new PermanentDeliveryError("there is no text, and no file: nothing else is sent");
  const messageId = ownMessageId(id, mail, own);
  const thread: ThreadHeaders =
    replyTo === undefined
      ? newThread(message, own)
      : answerHeaders(replyTo, readMailThread(journal, channel.channelId, replyTo));
  const composer = new MailComposer({
    from: own,
    to,
    ...thread,
    messageId: `<${messageId}>`,
    headers: { "Auto-Submitted": replyTo === undefined ? "auto-generated" : "auto-replied" },
    ...(text.trim() !== "" && { text, html: markdownHtml(text) }),
    attachments: await filesOf(journal, attachments),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { messageId, content: await composer.compile().build() };
}

/** Headers of a mail that answers none; one that follows the first mail of its message stands behind that. */
function newThread({ id, text, mail = 0 }: MailPart, own: string): ThreadHeaders {
  if (mail === 0) return { subject: subjectOf(text) };
  const first = `<${ownMessageId(id, 0, own)}>`;
  return { subject: "Files", inReplyTo: first, references: [first] };
}

async function filesOf(journal: string, attachments: readonly Attachment[]) {
  const files = [];
  for (const { id, name = "file", mime = "application/octet-stream" } of attachments) {
    if (id === undefined) throw new PermanentDeliveryError(`the file ${name} isn't stored`);
    const content = await readAttachment(attachmentsFolder(journal), id, maxFileBytes).catch((error: unknown) => {
      if (!(error instanceof AttachmentError)) throw error;
      throw new PermanentDeliveryError(`the file ${name} is larger than a mail takes: ${error.message}`);
    });
    if (content === null) throw new PermanentDeliveryError(`the file ${name} isn't stored any more`);
    files.push({ filename: name, contentType: mime, content, contentDisposition: "attachment" as const });
  }
  return files;
}
