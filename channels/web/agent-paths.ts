/** The paths of long-lived agents in the description of the web channel. Pure. */
import { z } from "zod";
import { HistoryQuery, ownAgent, Reset, Stopped } from "../adapter/agent-orders.ts";
import { json, problems } from "./openapi-parts.ts";

const id = {
  name: "id",
  in: "path",
  required: true,
  description: `The agent's id, or \`${ownAgent}\`: the one that messages to the room \`${ownAgent}\` go to.`,
  schema: { type: "string" },
};

const History = z.object({
  items: z
    .array(z.looseObject({ type: z.string(), ts: z.number().int() }))
    .meta({ description: "Records of `agents/<id>/history.jsonl`, their long texts cut." }),
  next: z.number().int().nullable().meta({ description: "`before` of the page before this one; null: there is none." }),
});

export function agentPaths(): Record<string, object> {
  return {
    "/v1/agents/{id}/reset": {
      post: {
        operationId: "resetAgent",
        summary: "Begin a new conversation",
        parameters: [id],
        responses: {
          200: { description: "It has begun.", content: json(Reset) },
          ...problems(401, 403, 404, 409, 503),
        },
      },
    },
    "/v1/agents/{id}/stop": {
      post: {
        operationId: "stopAgent",
        summary: "End the turn that is under way",
        parameters: [id],
        responses: {
          200: { description: "Whether there was one.", content: json(Stopped) },
          ...problems(401, 403, 404, 409, 503),
        },
      },
    },
    "/v1/agents/{id}/history": {
      get: {
        operationId: "agentHistory",
        summary: "What was said to and by an agent, a page from its end, oldest first",
        parameters: [id, ...Object.entries(HistoryQuery.shape).map(([name, schema]) => queryOf(name, schema))],
        responses: {
          200: { description: "A page of it.", content: json(History) },
          ...problems(400, 401, 403, 404, 503),
        },
      },
    },
  };
}

function queryOf(name: string, schema: z.ZodType): object {
  return { name, in: "query", description: schema.meta()?.description, schema: { type: "integer" } };
}
