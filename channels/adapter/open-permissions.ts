/** The calls that wait for a person, for channels over HTTP: which there are, and the answer to one. */
import { z } from "zod";
import { listQuestions, readQuestion } from "../../journal/permissions/questions.ts";
import { PermissionDecision } from "../../protocol/agents/channel.ts";
import { KeptQuestion } from "../../protocol/permissions/call-question.ts";
import type { AgentSide } from "./adapter.ts";
import { HttpError, storedOrRefused } from "./http-server.ts";

const { decision, always } = PermissionDecision.shape;
export const PostedDecision = z.looseObject({ decision, always });
export type PostedDecision = z.infer<typeof PostedDecision>;

const { id, tool, args, why, expires, rules } = KeptQuestion.shape;
export const OpenPermissions = z.object({
  permissions: z.array(z.object({ id, agent_id: KeptQuestion.shape.run, tool, args, why, expires, rules })),
});

/** Lists the questions that nobody has answered, the oldest first. */
export function openPermissions(journal: string): z.infer<typeof OpenPermissions> {
  return {
    permissions: listQuestions(journal)
      .filter((question) => question.decision === undefined)
      .toSorted((a, b) => a.ts - b.ts)
      .map(({ id, run, tool, args, why, expires, rules }) => ({ id, agent_id: run, tool, args, why, expires, rules })),
  };
}

/** Hands an answer on. @throws HttpError 404, 409 where it was decided before, 400, 429 and 503 */
export async function decidePermission(
  journal: string,
  agent: AgentSide,
  { id, decision, always, userId }: PostedDecision & { id: string; userId: string },
): Promise<{ id: string }> {
  const question = readQuestion(journal, id);
  if (!question) throw new HttpError(404, "there is no such question: see GET /v1/permissions");
  if (question.decision !== undefined)
    throw new HttpError(409, `this was decided before: ${question.decision} by ${question.by ?? "somebody"}`);
  if (always && question.rules.length === 0) throw new HttpError(400, "always: no rule can say this");
  await storedOrRefused(agent.decide(question.id, { decision, userId, ...(always && { always }) }));
  return { id: question.id };
}
