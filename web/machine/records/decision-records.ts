/** Records of decisions: what waits for the owner, of runs, long-lived agents and workspaces alike. */
import { z } from "zod";
import { AgentId } from "../../../protocol/names/names.ts";
import { questionIdPattern } from "../../../protocol/runs/request/permission-notice.ts";
import { Id, Time } from "../../../workspace/records/fields.ts";

export const DecisionId = z.string().regex(questionIdPattern).meta({ description: "Letters, digits, _ and -." });

export const Decision = z
  .object({
    id: DecisionId,
    kind: z.enum(["call", "loop", "write"]).meta({
      description:
        "`call`: may it make this call? `loop`: may it go on, though it repeats itself? `write`: may it write to `path`?",
    }),
    run: AgentId.nullable().meta({ description: "The run that asks." }),
    persona: z.string().nullable(),
    agent: z.string().nullable().meta({ description: "The long-lived agent that asks, or whose task it is." }),
    agent_name: z.string().nullable(),
    workspace: z
      .object({ workspace_id: Id, thread_id: Id, fork_id: Id.nullable(), task_id: Id, agent_id: Id })
      .nullable()
      .meta({ description: "Where an agent of a workspace asks." }),
    tool: z.string().nullable(),
    args: z.unknown().meta({ description: "The call's arguments, long ones cut." }),
    path: z.string().nullable(),
    why: z.string(),
    rules: z
      .array(z.record(z.string(), z.unknown()))
      .meta({ description: "The rules that `always` would keep; empty: there can be none." }),
    asked_at: Time,
    expires_at: Time.nullable().meta({ description: "When it is denied, since nobody answered." }),
    status: z.enum(["open", "allowed", "denied", "expired"]).meta({
      description: "`expired`: nobody answered in time, or the run ended before.",
    }),
    decided_by: z
      .string()
      .nullable()
      .meta({ description: "Where and by whom: `web:owner`, `cli:main`, `telegram:17`, `web:Ada`." }),
    reason: z.string().nullable(),
    decided_at: Time.nullable(),
  })
  .meta({ id: "Decision" });
export type Decision = z.infer<typeof Decision>;

const mostReason = 2000;

export const DecisionMade = z
  .strictObject({
    decision: z.enum(["allow", "deny", "always"]).meta({
      description: "`always` allows, and keeps the rules for later calls.",
    }),
    reason: z.string().max(mostReason).optional().meta({ description: "For the one who asks." }),
  })
  .meta({ id: "DecisionMade" });
export type DecisionMade = z.infer<typeof DecisionMade>;
