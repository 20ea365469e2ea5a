/** `POST /v1/messages`: a message to an agent from somebody with the token, stored before it is answered. */
import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { Channel, InboundMessage } from "../../protocol/agents/channel.ts";
import { AttachmentRefs } from "../../protocol/files/attachment.ts";
import { checkSaysSomething, takenFiles } from "../adapter/posted-files.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checkedBody, storedOrRefused } from "../adapter/http-server.ts";

const { id, text } = InboundMessage.shape;
const { channelId, replyTo } = Channel.shape;

export const PostedMessage = z.looseObject({
  text: text.meta({ description: "What is said. Empty only beside `attachments`." }),
  channelId: channelId.optional().meta({ description: "The conversation. Default `main`." }),
  replyTo: replyTo.meta({ description: "A thread within it." }),
  attachments: AttachmentRefs.optional(),
  id: id.optional().meta({ description: "Makes it once: the same id again is dropped. Default: a new one." }),
});

export const StoredMessage = z.object({ id });

/** The user's id: everybody who has the token is an owner. */
const userId = "token";
const usualChannel = "main";

export function serveMessages(server: FastifyInstance, journal: string, agent: AgentSide): void {
  server.post("/v1/messages", async (request, reply) => {
    const posted = checkedBody(PostedMessage, request.body);
    const { text, channelId = usualChannel, replyTo, id = `web-${randomUUID()}` } = posted;
    const channel = { type: "web", channelId, userId, ...(replyTo === undefined ? {} : { replyTo }) };
    checkSaysSomething(posted);
    const attachments = posted.attachments && (await takenFiles(journal, posted.attachments));
    await storedOrRefused(agent.send({ id, text, channel, ...(attachments && { attachments }) }));
    return reply.code(202).send({ id });
  });
}
