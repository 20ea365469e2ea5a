/** `POST /v1/attachments` stores a file and answers with its id; `GET /v1/attachments/<id>` gives one back. */
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { AttachmentError } from "../../files/errors/attachment-error.ts";
import { storeUpload } from "../../journal/attachments/store-upload.ts";
import { attachmentRules, takeAttachments } from "../../journal/attachments/take-attachments.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import type { Attachment } from "../../protocol/agents/channel.ts";
import { type AttachmentRef, AttachmentRefs } from "../../protocol/files/attachment.ts";
import { checkedBody, HttpError } from "../adapter/http-server.ts";
import { sendStoredFile } from "../adapter/stored-file.ts";

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

export function serveAttachments(server: FastifyInstance, journal: string): void {
  // The content as it comes, text too: it is bounded while it is stored.
  server.removeContentTypeParser("text/plain");
  server.addContentTypeParser("*", (_request, body, done) => done(null, body));
  server.post<{ Querystring: { name?: string } }>("/v1/attachments", async (request, reply) => {
    const { body, query } = request;
    if (body instanceof Readable) {
      const name = typeof query.name === "string" ? query.name : "file";
      const part = await refusing(storeUpload(journal, name, body));
      return reply.code(201).send(StoredAttachment.parse(part));
    }
    const [stored] = await takenFiles(journal, checkedBody(AttachmentRefs, [checkedBody(PostedAttachment, body)]));
    return reply.code(201).send(stored);
  });
  server.get<{ Params: { id: string } }>("/v1/attachments/:id", ({ params }, reply) =>
    sendStoredFile(journal, params.id, reply),
  );
}

const rulesOf = (journal: string) => attachmentRules(usableSettings(journal).settings);

/** Stores the files of a message: the bus has none of their bytes. @throws HttpError 400 for one that isn't taken */
export async function takenFiles(journal: string, refs: readonly AttachmentRef[]): Promise<Attachment[]> {
  const parts = await refusing(takeAttachments(refs, { journal }, rulesOf(journal)));
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
