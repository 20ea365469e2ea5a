/** `POST /v1/agents/<id>/reset|stop` and `GET /v1/agents/<id>/history`, for whoever has the token. */
import type { FastifyInstance } from "fastify";
import type { Bus } from "../../bus/connection/connect.ts";
import { AgentOrder, HistoryQuery, historyOf, orderAgent, ownAgent } from "../adapter/agent-orders.ts";
import { checkedBody } from "../adapter/http-server.ts";

/** As whom the token speaks. */
const channel = { type: "web", channelId: ownAgent, userId: "token" };

export function serveAgents(server: FastifyInstance, journal: string, bus: Bus): void {
  const asker = { journal, bus, channel };
  for (const order of AgentOrder.options)
    server.post<{ Params: { id: string } }>(`/v1/agents/:id/${order}`, ({ params }) =>
      orderAgent(asker, params.id, order),
    );
  server.get<{ Params: { id: string } }>("/v1/agents/:id/history", ({ params, query }) =>
    historyOf(asker, params.id, checkedBody(HistoryQuery, query)),
  );
}
