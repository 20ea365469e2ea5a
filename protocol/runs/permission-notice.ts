/** What cortex is told of a question about a call of a run, on `cortex.permission.<agent_id>`, and its answer. */
import { z } from "zod";

/** Becomes a token of a subject, and what a button carries. */
export const questionIdPattern = /^[A-Za-z0-9_-]{1,56}$/;
export const QuestionId = z.string().regex(questionIdPattern, "expected letters, digits, _ and -, at most 56");

const Asked = z.object({
  event: z.literal("permission"),
  id: QuestionId,
  tool: z.string(),
  args: z.unknown(),
  why: z.string(),
  expires: z.number().int(),
  loop: z.boolean().optional(),
  call_id: z.string().optional(),
});

const Decided = z.object({
  event: z.literal("permission_decided"),
  id: QuestionId,
  decision: z.enum(["allow", "deny"]),
  by: z.string(),
  always: z.boolean().optional(),
});

export const PermissionNotice = z.discriminatedUnion("event", [Asked, Decided]);
export type PermissionNotice = z.infer<typeof PermissionNotice>;

/** `args`: those of the question, without the run's secrets, cut where they are long. `error`: the run is over, or ends by this. */
export const NoticeAnswer = z.union([
  z.object({ ok: z.literal(true), args: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
export type NoticeAnswer = z.infer<typeof NoticeAnswer>;
