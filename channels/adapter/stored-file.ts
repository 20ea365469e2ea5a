/** A stored file as the answer to a request. */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { FastifyReply } from "fastify";
import { storedAttachment } from "../../files/attachment-store.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { attachmentIdPattern, contentPath } from "../../protocol/files/attachment.ts";
import { HttpError } from "./http-server.ts";

/** @throws HttpError 404 where nothing is stored under the id */
export async function sendStoredFile(journal: string, id: string, reply: FastifyReply): Promise<FastifyReply> {
  const part = attachmentIdPattern.test(id) ? await storedAttachment(attachmentsFolder(journal), id) : null;
  if (!part) throw new HttpError(404, "nothing is stored under that id");
  // Nothing of it may run in a browser.
  reply.header("Content-Disposition", `attachment; filename*=UTF-8''${encodeURIComponent(part.name)}`);
  reply.header("X-Content-Type-Options", "nosniff").header("Content-Length", part.size).type(part.mime);
  return reply.send(createReadStream(join(attachmentsFolder(journal), contentPath(id))));
}
