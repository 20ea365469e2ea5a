/** Records of approvals: calls of agents' tools that wait for a person of the workspace. */
import { z } from "zod";
import { Id, Time } from "./fields.ts";

export const Requires = z
  .enum(["any_member", "admin", "specific_user"])
  .meta({ description: "The people who may decide: any member, an admin, or the user of `user_id`." });
export type Requires = z.infer<typeof Requires>;

const usualTimeoutSeconds = 3600;
/** Half of how long a call waits: the other half is an admin's. */
const longestTimeoutSeconds = 43_200;

/** The rule of who is asked about which tool, and for how long before it is an admin's. */
export const ApprovalRule = z
  .object({
    action: z
      .string()
      .min(1)
      .max(256)
      .meta({ description: "A tool, a pack, `server.tool`, `server.*`, or `*` for all.", examples: ["bash"] }),
    requires: Requires,
    user_id: Id.nullable().default(null).meta({ description: "The user of `specific_user`." }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(longestTimeoutSeconds)
      .default(usualTimeoutSeconds)
      .meta({ description: "After which an admin is asked instead." }),
  })
  .refine(({ requires, user_id }) => (requires === "specific_user") === (user_id !== null), {
    path: ["user_id"],
    message: "expected with `specific_user`, and with nothing else",
  })
  .meta({ id: "ApprovalRule" });
export type ApprovalRule = z.infer<typeof ApprovalRule>;

export const Approval = z
  .object({
    id: Id,
    workspace_id: Id,
    thread_id: Id,
    fork_id: Id.nullable(),
    task_id: Id,
    agent_id: Id,
    tool: z.string().meta({ description: "`loop`: the agent repeats itself, and is asked to go on." }),
    args: z.unknown().meta({ description: "The call's arguments, long ones cut." }),
    why: z.string().meta({ description: "Why somebody is asked." }),
    action: z
      .enum(["approve", "escalate"])
      .meta({ description: "The action that the call needs: escalated ones are for admins." }),
    requires: Requires,
    user_id: Id.nullable().meta({ description: "The user of `specific_user`." }),
    status: z.enum(["open", "allowed", "denied", "expired"]),
    decided_by: Id.nullable().meta({ description: "The user who did; null: nobody of the workspace." }),
    reason: z.string().nullable().meta({ description: "The reason that they gave." }),
    escalates_at: Time.nullable().meta({ description: "When an admin is asked instead." }),
    expires_at: Time.meta({ description: "When the call is denied, since nobody answered." }),
    created_at: Time,
    decided_at: Time.nullable(),
  })
  .meta({ id: "Approval" });
export type Approval = z.infer<typeof Approval>;

export const ApprovalDecision = z
  .object({
    decision: z.enum(["allow", "deny"]),
    reason: z.string().max(2000).optional().meta({ description: "For the others, and the agent." }),
  })
  .meta({ id: "ApprovalDecision" });
export type ApprovalDecision = z.infer<typeof ApprovalDecision>;
