/**
 * `GET /v1/permissions` and `POST /v1/permissions/<id>` of the webhook, signed like messages. Whoever has the secret vouches
 * for the user, who has to be an owner: without one on this channel nothing is listed, and nothing decided.
 */
import type { FastifyInstance } from "fastify";
import { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { Channel } from "../../protocol/agents/channel.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checkedBody, HttpError } from "../adapter/http-server.ts";
import { ownerHere } from "./owner.ts";
import type { VerifiedRequests } from "./verified-requests.ts";
import { decidePermission, openPermissions, PostedDecision } from "../adapter/open-permissions.ts";

/** A signature is over the body and not over the address: so the body says which question it answers. */
const SignedDecision = PostedDecision.extend({ id: KeptQuestion.shape.id, userId: Channel.shape.userId });

export function serveSignedPermissions(
  server: FastifyInstance,
  journal: string,
  agent: AgentSide,
  requests: VerifiedRequests,
): void {
  server.get("/v1/permissions", async (request) => {
    requests.verified(request);
    ownerHere(journal);
    return openPermissions(journal);
  });
  server.post<{ Params: { id: string } }>("/v1/permissions/:id", async (request, reply) => {
    const posted = checkedBody(SignedDecision, requests.json(request));
    if (posted.id !== request.params.id) throw new HttpError(400, "id: expected the same id as in the address");
    const userId = ownerHere(journal, posted.userId);
    return reply.code(202).send(await decidePermission(journal, agent, { ...posted, userId }));
  });
}
