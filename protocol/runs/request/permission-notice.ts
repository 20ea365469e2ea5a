/**
 * A notice to cortex about a question that a call of a run raises, or one of a task for which the run waits, on
 * `cortex.permission.<agent_id>`, and its answer.
 */
import { z } from "zod";
import { AgentId } from "../../names/names.ts";
import { AskedAction } from "./trust.ts";

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
  action: AskedAction.optional(),
  call_id: z.string().optional(),
  /** Asked by a call that was cut off: a question that the run's file doesn't have is none. */
  known_only: z.boolean().optional(),
});

const Decided = z.object({
  event: z.literal("permission_decided"),
  id: QuestionId,
  decision: z.enum(["allow", "deny"]),
  by: z.string(),
  always: z.boolean().optional(),
});

/** A question of a task for which the run waits: the question's id, and the run whose it is. */
const HoldUp = z.object({ id: QuestionId, run_id: AgentId });
export type HoldUp = z.infer<typeof HoldUp>;

/** All of them, so that it is the same however often it is told; none: the clocks go on. */
const HeldUp = z.object({ event: z.literal("held_up"), by: z.array(HoldUp).max(100) });

export const PermissionNotice = z.discriminatedUnion("event", [Asked, Decided, HeldUp]);
export type PermissionNotice = z.infer<typeof PermissionNotice>;

/** `args`: those of the question, without the run's secrets, cut where they are long. `error`: the run is over, or ends by this, or there is no such question. */
export const NoticeAnswer = z.union([
  z.object({ ok: z.literal(true), args: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
export type NoticeAnswer = z.infer<typeof NoticeAnswer>;
