/** HTTP in: `POST /` with a signature becomes a message, stored before it is answered. A message that came before is 409. */
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Bus } from "../../bus/connection/connect.ts";
import { Channel, InboundMessage, messageIdPattern } from "../../protocol/agents/channel.ts";
import { usualWebhookUser } from "../../protocol/agents/named-owners.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checkedBody, HttpError, newServer, storedOrRefused } from "../adapter/http-server.ts";
import { type AttachmentRef, AttachmentRefs } from "../../protocol/files/attachment.ts";
import { checkSaysSomething, takenFiles } from "../adapter/posted-files.ts";
import { serveSignedAgents } from "./agents.ts";
import { serveSignedFiles } from "./attachments.ts";
import { serveSignedPermissions } from "./permissions.ts";
import { bodyJson, type Verified, VerifiedRequests } from "./verified-requests.ts";

const maxBodyBytes = 1024 * 1024;

const { id, text, metadata } = InboundMessage.shape;
const { channelId, userId, replyTo } = Channel.shape;

/** A posted message. Whoever has the secret vouches for the user. */
const PostedMessage = z.looseObject({
  id: id.optional(),
  text,
  channelId: channelId.optional(),
  userId,
  replyTo,
  metadata,
  attachments: AttachmentRefs.optional(),
});

/** Where a message is from that doesn't say so. */
const usualChannel = "main";

export type WebhookParts = {
  secret: string;
  journal: string;
  bus: Bus;
  agent: AgentSide;
  /** Hears of what is our own fault. */
  onError: (error: unknown) => void;
};

export function incomingServer({ secret, journal, bus, agent, onError }: WebhookParts): FastifyInstance {
  const server = newServer(maxBodyBytes, onError);
  server.removeAllContentTypeParsers();
  // The signature is over the bytes.
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const requests = new VerifiedRequests(secret);
  serveSignedPermissions(server, journal, agent, requests);
  serveSignedAgents(server, { journal, bus }, requests);
  serveSignedFiles(server, { journal, maxBodyBytes }, requests);
  server.post("/", async (request, reply) => {
    const { body, signed } = requests.verified(request);
    const posted = checkedBody(PostedMessage, bodyJson(body));
    checkSaysSomething(posted);
    const attachments = posted.attachments && (await takenFiles(journal, withoutPaths(posted.attachments)));
    const message = { ...messageOf(posted, idOf(signed)), ...(attachments && { attachments }) };
    // The stream drops an id that it has for far longer than a signature lasts, whoever is started anew.
    const { isRepeated } = await storedOrRefused(agent.send(message));
    if (isRepeated) return reply.code(409).send({ error: "this message was taken before", id: message.id });
    return reply.code(202).send({ id: message.id });
  });
  return server;
}

/** The id of a message whose body has none: a repeated delivery, or a replay, has the same. */
function idOf({ id, stamp }: Verified): string {
  if (id !== undefined && messageIdPattern.test(id)) return id;
  return `wh-${createHash("sha256")
    .update(id ?? stamp)
    .digest("hex")
    .slice(0, 32)}`;
}

function messageOf(posted: z.infer<typeof PostedMessage>, usualId: string): InboundMessage {
  const { id, text, metadata, channelId = usualChannel, userId = usualWebhookUser, replyTo } = posted;
  return {
    id: id ?? usualId,
    text,
    channel: { type: "webhook", channelId, userId, ...(replyTo === undefined ? {} : { replyTo }) },
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Where a file of the journal stands, nobody outside says. @throws HttpError 400 */
function withoutPaths(attachments: readonly AttachmentRef[]): readonly AttachmentRef[] {
  const index = attachments.findIndex(({ path }) => path !== undefined);
  if (index === -1) return attachments;
  throw new HttpError(
    400,
    `attachments[${index}].path: a path names nothing here: send the content as data (base64, at most 512 KiB), or store it by POST /v1/attachments and send its id`,
  );
}
