/**
 * `GET /v1/permissions` and `POST /v1/permissions/<id>` of the webhook, signed like messages. Whoever has the secret vouches
 * for the user, who has to be an owner: without one on this channel nothing is listed, and nothing decided.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readOwners } from "../../journal/agents/owners.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import { Channel } from "../../protocol/agents/channel.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checkedBody, HttpError } from "../adapter/http-server.ts";
import { decidePermission, openPermissions, PostedDecision } from "../adapter/open-permissions.ts";

const prefix = "webhook:";

/** A signature is over the body and not over the address: so the body says which question it answers. */
const SignedDecision = PostedDecision.extend({ id: KeptQuestion.shape.id, userId: Channel.shape.userId });

/** @param verifiedJson the body, once its signature is right */
export function serveSignedPermissions(
  server: FastifyInstance,
  journal: string,
  agent: AgentSide,
  verifiedJson: (request: FastifyRequest) => unknown,
): void {
  server.get("/v1/permissions", async (request) => {
    verifiedJson(request);
    ownersHere(journal);
    return openPermissions(journal);
  });
  server.post<{ Params: { id: string } }>("/v1/permissions/:id", async (request, reply) => {
    const posted = checkedBody(SignedDecision, verifiedJson(request));
    const owners = ownersHere(journal);
    if (posted.id !== request.params.id) throw new HttpError(400, "id: expected the same id as in the address");
    const { userId = owners[0] ?? "" } = posted;
    if (!owners.includes(userId)) throw new HttpError(403, `userId: ${prefix}${userId} isn't an owner`);
    return reply.code(202).send(await decidePermission(journal, agent, { ...posted, userId }));
  });
}

/** The users of this channel who are owners. @throws HttpError 403 where there are none */
function ownersHere(journal: string): string[] {
  const named = [...(usableSettings(journal).settings.agents?.owners ?? []), ...readOwners(journal)];
  const owners = named.flatMap((one) => (one.startsWith(prefix) ? [one.slice(prefix.length)] : []));
  if (owners.length === 0)
    throw new HttpError(403, `nobody on this channel is an owner: name one in agents.owners, as "${prefix}ada"`);
  return owners;
}
