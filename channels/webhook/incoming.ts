/** HTTP in: `POST /` with a signature becomes a message, stored before it is answered. A message that came before is 409. */
import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { Channel, InboundMessage } from "../../protocol/agents/channel.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checked, HttpError, newServer, stored } from "../adapter/http-server.ts";
import { signatureHeader, signatureProblem, timestampHeader } from "./signature.ts";
import { JsonDepthError, parseJson } from "../../protocol/json/parse-json.ts";

const maxBodyBytes = 1024 * 1024;

const { id, text, metadata, attachments } = InboundMessage.shape;
const { channelId, userId, replyTo } = Channel.shape;

/** What is posted. Whoever has the secret vouches for the user. */
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
const usualUser = "webhook";

export function incomingServer(secret: string, agent: AgentSide, onError: (error: unknown) => void): FastifyInstance {
  const server = newServer(maxBodyBytes, onError);
  server.removeAllContentTypeParsers();
  // The signature is over the bytes.
  server.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  server.post("/", async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const [timestamp, signature] = [request.headers[timestampHeader], request.headers[signatureHeader]].map(single);
    const problem = signatureProblem(secret, { timestamp, signature, body }, Date.now());
    if (problem !== undefined) throw new HttpError(401, problem);
    const posted = checked(PostedMessage, bodyJson(body));
    const message = messageOf(posted, `${timestamp}.${signature}`);
    // The stream drops an id that it has for far longer than a signature lasts, whoever is started anew.
    const { isRepeated } = await stored(agent.send(message));
    if (isRepeated) return reply.code(409).send({ error: "this message was taken before", id: message.id });
    return reply.code(202).send({ id: message.id });
  });
  return server;
}

/** Without an id of its own a message has that of its signature: a replay is the same one. */
function messageOf(posted: z.infer<typeof PostedMessage>, stamp: string): InboundMessage {
  const { id, text, metadata, attachments, channelId = usualChannel, userId = usualUser, replyTo } = posted;
  return {
    id: id ?? `wh-${createHash("sha256").update(stamp).digest("hex").slice(0, 32)}`,
    text,
    channel: { type: "webhook", channelId, userId, ...(replyTo === undefined ? {} : { replyTo }) },
    ...(metadata === undefined ? {} : { metadata }),
    // Where a file of the journal stands, nobody outside says.
    ...(attachments === undefined ? {} : { attachments: attachments.map(({ path: _path, ...rest }) => rest) }),
  };
}

const single = (header: string | string[] | undefined) => (typeof header === "string" ? header : undefined);

function bodyJson(body: Buffer): unknown {
  try {
    return parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new HttpError(400, `the body is ${error instanceof JsonDepthError ? error.message : "not JSON"}`);
  }
}
