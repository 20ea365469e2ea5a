/** `GET /v1/permissions`: the calls that wait for a person; `POST /v1/permissions/<id>`: the answer of whoever has the token. */
import type { FastifyInstance } from "fastify";
import type { AgentSide } from "../adapter/adapter.ts";
import { checkedBody } from "../adapter/http-server.ts";
import { decidePermission, openPermissions, PostedDecision } from "../adapter/open-permissions.ts";

/** The user's id: everybody who has the token is an owner. */
const userId = "token";

export function servePermissions(server: FastifyInstance, journal: string, agent: AgentSide): void {
  server.get("/v1/permissions", async () => openPermissions(journal));
  server.post<{ Params: { id: string } }>("/v1/permissions/:id", async (request, reply) => {
    const { decision, always } = checkedBody(PostedDecision, request.body);
    const { id } = request.params;
    return reply.code(202).send(await decidePermission(journal, agent, { id, decision, always, userId }));
  });
}
