/**
 * Twilio's requests: `POST <public_url>` with a message, stored before it is answered; `POST <public_url>/status/<id>` with what
 * became of one that went out; and `GET <public_url>/media/…`, by which it fetches the picture of a message.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ZodError } from "zod";
import { readAttachment, storedAttachment } from "../../files/attachment-store.ts";
import { attachmentsFolder } from "../../journal/attachments/take-attachments.ts";
import { messageIdPattern } from "../../protocol/agents/channel.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { HttpError, newServer } from "../adapter/http-server.ts";
import { isValidLink, type LinkParts } from "./media-links.ts";
import { receivedSms, type ReceivedSms, type StatusReport, statusReport } from "./received-sms.ts";
import type { SmsConfig } from "./sms-config.ts";
import { maxPictureBytes } from "./sms-parts.ts";
import { isSigned } from "./twilio-signature.ts";

const maxBodyBytes = 64 * 1024;

export type SmsHandlers = {
  /** Resolves with TwiML once the message is stored. */
  onMessage: (received: ReceivedSms) => Promise<string>;
  /** Resolves when it is noted. */
  onStatus: (messageId: string, report: StatusReport) => Promise<void>;
};

export function smsServer(
  { account, publicUrl }: SmsConfig,
  journal: string,
  { onMessage, onStatus }: SmsHandlers,
  onError: (error: unknown) => void,
): FastifyInstance {
  const server = newServer(maxBodyBytes, onError);
  server.removeAllContentTypeParsers();
  // A form, whatever it is called: the signature is over its fields.
  server.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, String(body)));

  /** The form of a request, once its signature is right. */
  const verified = ({ headers, body }: FastifyRequest, urls: readonly string[]) => {
    const fields = new URLSearchParams(typeof body === "string" ? body : "");
    if (!isSigned(headers["x-twilio-signature"], account.token, urls, fields))
      throw new HttpError(403, "X-Twilio-Signature: this isn't signed with the account's auth token for public_url");
    return fields;
  };

  const takeMessage = async (request: FastifyRequest, reply: FastifyReply) => {
    const received = checked(() => receivedSms(verified(request, [publicUrl, `${publicUrl}/`])));
    if (received.accountSid !== account.sid) throw new HttpError(403, "AccountSid: this is another account");
    return reply.type("text/xml").send(await onMessage(received));
  };
  const takeStatus = async (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    const { id } = request.params;
    if (!messageIdPattern.test(id)) throw new HttpError(404, "there is no message with such an id");
    const report = checked(() => statusReport(verified(request, [`${publicUrl}/status/${id}`])));
    await onStatus(id, report);
    return reply.code(204).send();
  };
  const giveMedia = async (request: FastifyRequest<{ Params: LinkParts }>, reply: FastifyReply) => {
    const link = request.params;
    const folder = attachmentsFolder(journal);
    const file = isValidLink(account.token, link, Date.now()) ? await storedAttachment(folder, link.file) : null;
    const content = file && (await readAttachment(folder, link.file, maxPictureBytes));
    if (!file || !content) throw new HttpError(404, "there is no such file");
    return reply
      .type(file.mime)
      .header("Content-Disposition", `inline; filename="picture.${file.mime.split("/")[1] ?? ""}"`)
      .header("X-Content-Type-Options", "nosniff")
      .send(content);
  };

  // A proxy hands on the path as it came, or without what it is known by itself.
  const { pathname } = new URL(publicUrl);
  for (const prefix of new Set(["", pathname === "/" ? "" : pathname])) {
    server.post(prefix === "" ? "/" : prefix, takeMessage);
    server.post(`${prefix}/status/:id`, takeStatus);
    server.get(`${prefix}/media/:message/:file/:until/:signature`, giveMedia);
  }
  return server;
}

function checked<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ZodError ? new HttpError(400, issueTexts(error, undefined).join("; ")) : error;
  }
}
