/**
 * `POST /v1/agents/<id>/reset|stop` and `GET /v1/agents/<id>/history` of the webhook, signed like messages, for an owner of this
 * channel.
 */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Bus } from "../../bus/connection/connect.ts";
import { Channel } from "../../protocol/agents/channel.ts";
import { AgentOrder, HistoryQuery, historyOf, orderAgent, ownAgent } from "../adapter/agent-orders.ts";
import { checkedBody, HttpError } from "../adapter/http-server.ts";
import { ownerHere } from "./owner.ts";
import type { VerifiedRequests } from "./verified-requests.ts";

/** A signature is over the body and not over the address: so the body says which agent is to do what. */
const SignedOrder = z.looseObject({ id: z.string(), order: AgentOrder, userId: Channel.shape.userId });

export function serveSignedAgents(
  server: FastifyInstance,
  { journal, bus }: { journal: string; bus: Bus },
  requests: VerifiedRequests,
): void {
  const askerFor = (named?: string) => {
    const channel = { type: "webhook", channelId: ownAgent, userId: ownerHere(journal, named) };
    return { journal, bus, channel };
  };
  for (const order of AgentOrder.options)
    server.post<{ Params: { id: string } }>(`/v1/agents/:id/${order}`, (request) => {
      const posted = checkedBody(SignedOrder, requests.json(request));
      if (posted.id !== request.params.id || posted.order !== order)
        throw new HttpError(400, "id, order: expected the same as in the address");
      return orderAgent(askerFor(posted.userId), posted.id, order);
    });
  server.get<{ Params: { id: string } }>("/v1/agents/:id/history", (request) => {
    requests.verified(request);
    return historyOf(askerFor(), request.params.id, checkedBody(HistoryQuery, request.query));
  });
}
