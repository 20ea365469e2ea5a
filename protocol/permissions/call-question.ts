/** A question about a call of a run: what the tool server asks the agents' service, what it answers, and how it is kept. */
import { z } from "zod";
import { AgentId } from "../names/names.ts";
import { PermissionRule } from "../settings/permissions.ts";
import { AskedAction } from "../runs/request/trust.ts";
import { QuestionId } from "../runs/request/permission-notice.ts";
import { Channel } from "../agents/channel.ts";

/** Asked by the pseudo-tool `ask_permission`, which no model has; again and again until it is answered. */
export const CallQuestion = z.object({
  id: QuestionId,
  tool: z.string().max(256),
  args: z.unknown(),
  why: z.string().max(4000),
  /** The rules that `always` would keep; empty where no rule could say it. */
  rules: z.array(PermissionRule).max(100),
  loop: z.boolean().optional(),
  /** The action that is asked for; of a workspace's agent. */
  action: AskedAction.optional(),
  /** How long it waits; absent: as the settings say. */
  wait_seconds: z.number().positive().optional(),
  call_id: z.string().max(256).optional(),
  /** Asked by a call that was cut off: a question that isn't there isn't put. */
  known_only: z.boolean().optional(),
});
export type CallQuestion = z.infer<typeof CallQuestion>;

/** `over`: the run has ended, or ends by this. `unknown`: nobody was asked. */
export const QuestionAnswer = z.object({
  state: z.enum(["open", "allow", "deny", "over", "unknown"]),
  by: z.string().optional(),
  /** The reason that they gave. */
  reason: z.string().optional(),
});
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** How a question is kept, all of them alike, `.state/permissions/<id>.json`; its arguments without the run's secrets. */
export const KeptQuestion = CallQuestion.omit({ known_only: true }).extend({
  run: AgentId,
  ts: z.number().int(),
  expires: z.number().int(),
  /** Where its agent wants to write: the answer is a message to the agent, and no call waits for it. */
  write_path: z.string().optional(),
  /** The long-lived agent whose turn it is, and where its user was asked. */
  agent: z.string().optional(),
  channel: Channel.optional(),
  is_put: z.boolean().optional(),
  decision: z.enum(["allow", "deny"]).optional(),
  by: z.string().optional(),
  reason: z.string().optional(),
  always: z.boolean().optional(),
  /** Names the request by which it was decided: sent again, it is the same decision. */
  request: z.string().max(128).optional(),
  decided: z.number().int().optional(),
  /** Whether the run's file says so. */
  is_told: z.boolean().optional(),
});
export type KeptQuestion = z.infer<typeof KeptQuestion>;
