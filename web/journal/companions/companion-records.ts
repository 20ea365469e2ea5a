/** Records of long-lived agents as the API gives them: companions, since `agent` is a workspace's. */
import { z } from "zod";
import { QueueMode } from "../../../protocol/agents/agents-settings.ts";
import { Cuid } from "../../../protocol/agents/channel.ts";
import { AttachmentRefs } from "../../../protocol/files/attachment.ts";
import { Day } from "../access/day.ts";

export const CompanionId = Cuid;

const Fields = z.record(z.string(), z.unknown());

export const Companion = z
  .looseObject({
    agent_id: z.string(),
    kind: z.string().meta({ description: "`main`, `user`, `cron`, `heartbeat` or `subagent`." }),
    name: z.string(),
    state: z.enum(["working", "waiting", "idle"]),
    run_id: z.string().optional().meta({ description: "Its turn, while it works." }),
    waiting: z.int().meta({ description: "How many messages wait." }),
    created: z.number().meta({ description: "In ms." }),
    updated: z.number().meta({ description: "In ms." }),
    backend: z.string().nullable(),
    model: z.string().nullable(),
    context_tokens: z.number(),
    context_window: z.number(),
    title: z.string().nullable().optional().meta({ description: "The name of its conversation; null: none yet." }),
    messages: z
      .number()
      .optional()
      .meta({ description: "Messages of people and replies, since its conversation began." }),
    input_tokens: z.number().optional().meta({ description: "Since then, without its tasks'." }),
    output_tokens: z.number().optional(),
    cost_usd: z
      .number()
      .nullable()
      .optional()
      .meta({ description: "Since then, with its tasks'; null: not all of it has a known price." }),
    known_cost_usd: z.number().optional(),
    connector: z.string().optional().meta({ description: "The type of the channel of somebody else's agent." }),
    userId: z.string().optional().meta({ description: "The user who writes to somebody else's agent there." }),
    called: z.string().optional().meta({ description: "Its own name, where its persona gives it one." }),
    text_is_reply: z
      .boolean()
      .optional()
      .meta({ description: "Whether what its model writes is said, where it calls no `reply`." }),
    spent_today_usd: z.number().nullable().optional().meta({ description: "Null: not all of it has a known price." }),
    known_spent_today_usd: z.number().optional(),
    last: z
      .object({ ts: z.number(), by: z.enum(["user", "agent"]), text: z.string() })
      .nullable()
      .optional()
      .meta({ description: "The latest message, its beginning." }),
  })
  .meta({ id: "Companion" });

export const Companions = z.object({ items: z.array(Companion), next: z.null() });

export const CompanionDetails = z.object({ companion: Companion, descriptor: Fields, state: Fields });

export const Conversations = z.object({
  items: z.array(
    z.object({
      id: z.string().nullable().meta({ description: "Null: the one that goes on; else the archive's name." }),
      ended_at: z.iso.datetime().nullable(),
    }),
  ),
  next: z.null(),
});

export const HistoryQuery = z.object({
  conversation: z.string().max(100).nullable().default(null).meta({ description: "One that was put away." }),
  cursor: z.coerce
    .number()
    .int()
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: "`next` of the page before: what was said earlier." }),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

const Said = z
  .looseObject({
    type: z.string().meta({
      description: "`start`, `reset`, `compact`, `user`, `system`, `assistant`, `tool_call` or `tool_result`.",
    }),
    id: z.string(),
    ts: z.number().meta({ description: "In ms." }),
  })
  .meta({ id: "CompanionRecord" });

export const History = z.object({
  items: z.array(Said).meta({ description: "Oldest first; long texts are cut." }),
  next: z.int().nullable(),
});

export const Queue = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      ts: z.number(),
      type: z.enum(["user", "system"]),
      text: z.string(),
      mode: QueueMode.nullable(),
      silent: z.boolean().meta({ description: "It waits for the next turn, and is no reason for one." }),
    }),
  ),
  next: z.null(),
});

export const WaitingMessage = z.object({
  message: z.string().min(1).max(300).meta({ description: "The id of one that waits, as `companion.queue` gives it." }),
});

export const CompanionMessage = z.object({
  text: z.string().min(1).max(500_000),
  id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: "Makes it once: the same id again is dropped. Default: a new one." }),
  mode: QueueMode.optional().meta({
    description: "The handling of it while a turn runs: `steer` is told to that turn. Default: the settings'.",
  }),
  attachments: AttachmentRefs.optional(),
});

export const SentMessage = z.object({ id: z.string() });

export const Stopped = z.object({ stopped: z.boolean().meta({ description: "False: nothing was running." }) });
export const Compacted = z.object({ agent_id: z.string(), context_tokens: z.number().optional() });

export const TaskQuery = z.object({ day: Day.optional() });

export const CompanionTask = z
  .looseObject({
    taskId: z.string(),
    description: z.string(),
    type: z.string().meta({ description: "Its persona." }),
    status: z.string(),
    created: z.number(),
    updated: z.number().optional(),
    run_id: z.string().optional().meta({ description: "Its turn, while it works." }),
    last_run: z.string().optional(),
  })
  .meta({ id: "CompanionTask" });

export const CompanionTasks = z.object({ items: z.array(CompanionTask), next: z.null() });
export const TaskDetails = z.object({ task: CompanionTask, conversation: z.string() });
export const TaskInput = z.object({ text: z.string().trim().min(1).max(100_000) });
