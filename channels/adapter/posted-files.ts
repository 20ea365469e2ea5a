/** Files that are posted to channels over HTTP: on their own, as `POST /v1/attachments` has it, or with a message. */
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { storeUpload, type UploadCheck } from "../../journal/attachments/store-upload.ts";
import { attachmentRules, takeAttachments } from "../../journal/attachments/take-attachments.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { type AttachmentRef, AttachmentRefs } from "../../protocol/files/attachment.ts";
import { checkedBody, HttpError } from "./http-server.ts";

/** With `Content-Type: application/json`; any other body is the content itself. */
export const PostedAttachment = z.looseObject({
  name: z.string().max(4096).optional().meta({ description: "The name of the file." }),
  mime: z.string().max(256).optional().meta({ description: "Its media type, as you have it." }),
  data: z.string().meta({ description: "Its content in base64, at most 512 KiB of content." }),
});

export const StoredAttachment = z.object({
  id: z.string().meta({ description: "Under which messages and requests name it." }),
  name: z.string(),
  mime: z.string().meta({ description: "Told by its content." }),
  size: z.number().int(),
});
type StoredAttachment = z.infer<typeof StoredAttachment>;

/** Hands bodies on as they come, text too: they are bounded while they are stored. */
export function streamBodies(server: FastifyInstance): void {
  server.removeContentTypeParser("text/plain");
  server.addContentTypeParser("*", (_request, body, done) => done(null, body));
}

/**
 * Stores a file that is posted on its own.
 * @param body its content, or what is said of it as JSON
 * @throws HttpError 400 for one that isn't taken
 */
export async function storePostedFile(
  journal: string,
  name: unknown,
  body: unknown,
  check?: UploadCheck,
): Promise<StoredAttachment> {
  if (body instanceof Readable) {
    const part = await refusing(storeUpload(journal, typeof name === "string" ? name : "file", body, check));
    return StoredAttachment.parse(part);
  }
  const refs = checkedBody(AttachmentRefs, [checkedBody(PostedAttachment, body)]);
  const [stored] = await takenFiles(journal, refs);
  return StoredAttachment.parse(stored);
}

/** @throws HttpError 400 for a message without words and files */
export function checkSaysSomething({
  text,
  attachments,
}: {
  text: string;
  attachments?: readonly AttachmentRef[] | undefined;
}): void {
  if (text === "" && !attachments?.length) throw new HttpError(400, "text: expected some, or attachments");
}

/** Stores the files of a message: the bus has none of their bytes. @throws HttpError 400 for one that isn't taken */
export async function takenFiles(journal: string, refs: readonly AttachmentRef[]): Promise<Attachment[]> {
  const rules = attachmentRules(usableSettings(journal).settings);
  const parts = await refusing(takeAttachments(refs, { journal }, rules));
  return parts.map(({ id, name, mime, size }) => ({ id, name, mime, size }));
}

async function refusing<T>(taking: Promise<T>): Promise<T> {
  try {
    return await taking;
  } catch (error) {
    if (error instanceof AttachmentError) throw new HttpError(400, error.message, { cause: error });
    throw error;
  }
}
