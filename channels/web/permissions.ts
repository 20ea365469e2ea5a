/** `GET /v1/permissions`: the calls that wait for a person; `POST /v1/permissions/<id>`: the answer of whoever has the token. */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { listQuestions, readQuestion } from "../../journal/permissions/questions.ts";
import { PermissionDecision } from "../../protocol/agents/channel.ts";
import { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentSide } from "../adapter/adapter.ts";
import { checked, HttpError, stored } from "../adapter/http-server.ts";

const { decision, always } = PermissionDecision.shape;
export const PostedDecision = z.looseObject({ decision, always });

const { id, tool, args, why, expires, rules } = KeptQuestion.shape;
export const OpenPermissions = z.object({
  permissions: z.array(z.object({ id, agent_id: KeptQuestion.shape.run, tool, args, why, expires, rules })),
});

/** Whoever has the token is an owner. */
const userId = "token";

export function servePermissions(server: FastifyInstance, journal: string, agent: AgentSide): void {
  server.get("/v1/permissions", async () => ({
    permissions: listQuestions(journal)
      .filter((question) => question.decision === undefined)
      .toSorted((a, b) => a.ts - b.ts)
      .map(({ id, run, tool, args, why, expires, rules }) => ({ id, agent_id: run, tool, args, why, expires, rules })),
  }));
  server.post<{ Params: { id: string } }>("/v1/permissions/:id", async (request, reply) => {
    const { decision, always } = checked(PostedDecision, request.body);
    const question = readQuestion(journal, request.params.id);
    if (!question) throw new HttpError(404, "there is no such question: see GET /v1/permissions");
    if (question.decision !== undefined)
      throw new HttpError(409, `this was decided before: ${question.decision} by ${question.by ?? "somebody"}`);
    if (always && question.rules.length === 0) throw new HttpError(400, "always: no rule can say this");
    await stored(agent.decide(question.id, { decision, userId, ...(always && { always }) }));
    return reply.code(202).send({ id: question.id });
  });
}
