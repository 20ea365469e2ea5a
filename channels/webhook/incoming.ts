/** HTTP in: `POST /` with a signature becomes a message, stored before it is answered. A message that came before is 409. */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Bus } from "../../bus/connection/connect.ts";
import { Channel, InboundMessage, messageIdPattern } from "../../protocol/agents/channel.ts";
import { usualWebhookUser } from "../../protocol/agents/named-owners.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checkedBody, HttpError, newServer, storedOrRefused } from "../adapter/http-server.ts";
import { sendStoredFile } from "../adapter/stored-file.ts";
import { serveSignedAgents } from "./agents.ts";
import { serveSignedPermissions } from "./permissions.ts";
import { type VerifiedMessage, verifySignature } from "./signature.ts";
import { JsonDepthError, parseJson } from "../../protocol/json/parse-json.ts";

const maxBodyBytes = 1024 * 1024;

const { id, text, metadata, attachments } = InboundMessage.shape;
const { channelId, userId, replyTo } = Channel.shape;

/** A posted message. Whoever has the secret vouches for the user. */
const PostedMessage = z.looseObject({
  id: id.optional(),
  text,
  channelId: channelId.optional(),
  userId,
  replyTo,
  metadata,
  attachments,
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
  const verified = (request: FastifyRequest) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const signed = verifySignature(secret, request.headers, body, Date.now());
    if (signed.problem !== undefined) throw new HttpError(401, signed.problem);
    return { body, signed };
  };
  const verifiedJson = (request: FastifyRequest) => {
    const { body } = verified(request);
    return request.method === "GET" ? undefined : bodyJson(body);
  };
  serveSignedPermissions(server, journal, agent, verifiedJson);
  serveSignedAgents(server, { journal, bus }, verifiedJson);
  // A file of an answer, which names it by its id.
  server.get<{ Params: { id: string } }>("/v1/attachments/:id", (request, reply) => {
    verified(request);
    return sendStoredFile(journal, request.params.id, reply);
  });
  server.post("/", async (request, reply) => {
    const { body, signed } = verified(request);
    const posted = checkedBody(PostedMessage, bodyJson(body));
    const message = messageOf(posted, idOf(signed));
    // The stream drops an id that it has for far longer than a signature lasts, whoever is started anew.
    const { isRepeated } = await storedOrRefused(agent.send(message));
    if (isRepeated) return reply.code(409).send({ error: "this message was taken before", id: message.id });
    return reply.code(202).send({ id: message.id });
  });
  return server;
}

/** The id of a message whose body has none: a repeated delivery, or a replay, has the same. */
function idOf(verified: Exclude<VerifiedMessage, { problem: string }>): string {
  if ("id" in verified && messageIdPattern.test(verified.id)) return verified.id;
  const text = "id" in verified ? verified.id : verified.stamp;
  return `wh-${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
}

function messageOf(posted: z.infer<typeof PostedMessage>, usualId: string): InboundMessage {
  const { id, text, metadata, attachments, channelId = usualChannel, userId = usualWebhookUser, replyTo } = posted;
  return {
    id: id ?? usualId,
    text,
    channel: { type: "webhook", channelId, userId, ...(replyTo === undefined ? {} : { replyTo }) },
    ...(metadata === undefined ? {} : { metadata }),
    // Where a file of the journal stands, nobody outside says.
    ...(attachments === undefined ? {} : { attachments: attachments.map(({ path: _path, ...rest }) => rest) }),
  };
}

function bodyJson(body: Buffer): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new HttpError(400, `the body is ${error instanceof JsonDepthError ? error.message : "not JSON"}`);
  }
}
