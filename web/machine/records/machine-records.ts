/** Records of the machine's state: its programs, its costs, and what the first view shows. */
import { z } from "zod";
import { groupings } from "../../../journal/costs/cost-report.ts";
import { AgentNews } from "../../../protocol/agents/agent-event.ts";
import { OutboundMessage } from "../../../protocol/agents/channel.ts";
import { AgentId, isDay } from "../../../protocol/names/names.ts";
import { Time } from "../../../workspace/records/fields.ts";
import { Decision } from "./decision-records.ts";
import { RunRow } from "./run-records.ts";

export const ProgramRow = z
  .object({
    name: z.string(),
    state: z.enum(["waiting", "starting", "ready", "stopping", "backing_off", "failed", "stopped", "unsupervised"]),
    pid: z.int().nullable(),
    restarts: z.int(),
    since: Time,
    reason: z.string().nullable(),
  })
  .meta({ id: "ProgramRow" });
export type ProgramRow = z.infer<typeof ProgramRow>;

export const HealthProblem = z
  .object({
    program: z.string().nullable().meta({ description: "Null: of the whole." }),
    state: z.string(),
    reason: z.string(),
    command: z.string().nullable().meta({ description: "The command that fixes it, or says more." }),
  })
  .meta({ id: "HealthProblem" });
export type HealthProblem = z.infer<typeof HealthProblem>;

export const Health = z
  .object({
    programs: z.array(ProgramRow),
    problems: z.array(HealthProblem).meta({
      description: "The problems, the gravest first; empty: none. State `warning`: it works, but not as it might.",
    }),
    running: z.int(),
    queued: z.int(),
    capacity: z.int().meta({ description: "How many may run at once." }),
    today: z.object({
      cost_usd: z.number().meta({ description: "The part that is known." }),
      is_estimate: z.boolean(),
      limit_usd: z.number().nullable().meta({ description: "The day's limit for all runs; null: there is none." }),
    }),
    workers: z.array(z.object({ worker: z.string(), labels: z.array(z.string()), capacity: z.int() })),
    sandbox: z.string(),
    journal: z.string().meta({ description: "Its folder." }),
    time_zone: z.string(),
    version: z.string(),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;

/** The result of a schedule's runs on a day. */
export const ScheduleDone = z
  .object({
    schedule: z.string(),
    total: z.int().meta({ description: "How many have ended." }),
    failed: z.int(),
    runs: z.array(RunRow).meta({ description: "Newest first, at most 48." }),
    cost_usd: z.number(),
    ended_at: Time,
  })
  .meta({ id: "ScheduleDone" });
export type ScheduleDone = z.infer<typeof ScheduleDone>;

/** The first view. Of each part but the first the newest are told, and how many there are. */
export const Now = z
  .object({
    needs_you: z.array(Decision).meta({ description: "Oldest first." }),
    working: z.array(RunRow).meta({ description: "In progress and waiting for a place, newest first." }),
    failed: z.array(RunRow).meta({
      description:
        "The runs that failed in the last seven days, without those that were put away, or run again or continued well since.",
    }),
    done_today: z
      .array(z.union([ScheduleDone, RunRow]))
      .meta({ description: "Finished and stopped ones, newest first. Runs of a schedule are one." }),
    totals: z
      .object({ working: z.int(), failed: z.int(), done_today: z.int() })
      .meta({ description: "How many runs there are of a part; of failed ones at most 1,000 are counted." }),
    health: z.array(HealthProblem).meta({ description: "Without warnings." }),
    today: z.object({
      cost_usd: z.number().meta({ description: "The part that is known." }),
      is_estimate: z.boolean(),
      runs: z.int(),
    }),
    position: z.string().meta({ description: "`Last-Event-ID` of `machine.events` for all that came since." }),
  })
  .meta({ id: "Now" });
export type Now = z.infer<typeof Now>;

export const Dismissal = z.strictObject({ run: AgentId });

const Day = z.string().refine(isDay, "expected a date as YYYYMMDD");

export const CostQuery = z.object({
  from: Day.optional().meta({ description: "YYYYMMDD. Default: 29 days before `to`." }),
  to: Day.optional().meta({ description: "YYYYMMDD, included. Default: today." }),
  by: z.enum(groupings).default("day"),
});
export type CostQuery = z.infer<typeof CostQuery>;

const CostSums = z.object({
  runs: z.int(),
  unknown_runs: z.int().meta({ description: "The runs that told no usage." }),
  calls: z.int(),
  input_tokens: z.number(),
  cached_input_tokens: z.number(),
  output_tokens: z.number(),
  reasoning_tokens: z.number(),
  total_tokens: z.number(),
  cost_usd: z.number().nullable().meta({ description: "Null when part of it isn't known." }),
  known_cost_usd: z.number(),
  unpriced_tokens: z.number(),
});

const Limit = z.object({
  scope: z.enum(["all", "persona", "agents", "workspace"]),
  name: z.string().nullable().meta({
    description: "The persona, the clock that wakes an agent (`heartbeat`, `cron <uid>`), the workspace; null: of all.",
  }),
  limit_usd: z.number().nullable(),
  limit_tokens: z.number().nullable(),
  spent_usd: z.number().meta({
    description:
      "Today, as the limit counts it: tokens without a known price by a guess (`budgets.unknown_price_usd`).",
  }),
  spent_tokens: z.number(),
  share: z.number().meta({ description: "The part of the nearest limit: 1 is all of it." }),
  state: z.enum(["far", "near", "reached"]).meta({ description: "`near`: from 80 %." }),
});
export type Limit = z.infer<typeof Limit>;

export const Cost = z
  .object({
    from: Day,
    to: Day,
    time_zone: z.string(),
    by: CostQuery.shape.by,
    rows: z.array(
      CostSums.extend({
        name: z.string().meta({
          description:
            "The day, persona, backend or model; by agent its id, where it is a task's the one whose task it is, or `none`.",
        }),
        agent_name: z.string().nullable().meta({ description: "By agent: what it is called." }),
      }),
    ),
    total: CostSums,
    days: z
      .array(z.object({ day: Day, name: z.string(), runs: z.int(), known_cost_usd: z.number() }))
      .meta({ description: "The same by day, of those days and names of which there is something; the oldest first." }),
    limits: z.array(Limit),
    unread: z.array(z.string()).meta({ description: "Files that can't be read: the sums lack them." }),
  })
  .meta({ id: "Cost" });
export type Cost = z.infer<typeof Cost>;

/** Parts of the journal that people and agents change. */
export const JournalPart = z.enum(["settings", "personas", "skills", "memory", "apps", "facets", "days"]);
export type JournalPart = z.infer<typeof JournalPart>;

/** Kinds of `machine.events`. */
export const machineEvents = {
  "run.changed": RunRow,
  "run.removed": z.object({ id: AgentId }),
  "decision.requested": Decision,
  "decision.decided": Decision,
  "program.changed": ProgramRow,
  "health.changed": z.object({ problems: z.array(HealthProblem) }),
  "schedule.changed": z.object({ schedule: z.string().nullable() }),
  "journal.changed": z.object({
    parts: z.array(JournalPart).meta({ description: "`days`: of the five newest." }),
  }),
  "agent.changed": AgentNews,
  reply: OutboundMessage,
  reset: z.object({ why: z.string() }),
};
