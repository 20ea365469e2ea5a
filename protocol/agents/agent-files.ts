/** The documents in the files of a long-lived agent: its descriptor, its state, its history and its inbox. */
import { z } from "zod";
import { QueueMode } from "./agents-settings.ts";
import { Attachment, Channel, Cuid } from "./channel.ts";
import { AgentId } from "../names/names.ts";
import { Message } from "../events/message.ts";

export const AgentKind = z.enum(["main", "user", "cron", "heartbeat", "subagent"]);
export type AgentKind = z.infer<typeof AgentKind>;

/** `descriptor.json`: its identity, and nothing that changes. */
export const AgentDescriptor = z.looseObject({
  id: Cuid,
  kind: AgentKind,
  connector: z.string().optional().meta({ description: "The type of the channel of whom it belongs to." }),
  channelId: z.string().optional(),
  thread: z.string().optional().meta({ description: "The thread of that room, where each thread has an agent." }),
  userId: z.string().optional(),
  parent: Cuid.optional().meta({ description: "The agent that has sent a sub-agent off." }),
  name: z.string().optional().meta({ description: "The uid of a cron task; what a sub-agent is to do, in short." }),
  created: z.number().int().meta({ description: "In ms." }),
});
export type AgentDescriptor = z.infer<typeof AgentDescriptor>;

/** The persona of a sub-agent where its sender names none. */
export const defaultTaskType = "general";

/** How far a sub-agent's work has come. */
export const TaskState = z.enum(["running", "waiting", "completed", "failed"]);
export type TaskState = z.infer<typeof TaskState>;

/** An item that waits to be said to an agent, a line of `inbox.jsonl`. */
export const InboxItem = z.looseObject({
  /** Makes it once: the same id again is dropped. */
  id: z.string().min(1),
  /** When it came, in ms. */
  ts: z.number().int(),
  type: z.enum(["user", "system"]),
  /** As it goes into the conversation. */
  text: z.string(),
  /** Where it came from, and where the answer belongs. */
  channel: Channel.optional(),
  /** Waits for the next turn, and is no reason for one. */
  silent: z.boolean().optional(),
  /** The source of a system message. */
  origin: z.string().optional(),
  attachments: z.array(Attachment).optional(),
  /** The queue mode that its sender asks for, which holds while a turn is running. */
  mode: QueueMode.optional(),
  /** The ids of the edits that it has taken: each is taken once. */
  edited_by: z.array(z.string()).optional(),
});
export type InboxItem = z.infer<typeof InboxItem>;

/** A turn that has begun: kept before anybody hears of it, so that after a crash it goes on rather than begins again. */
export const AgentTurn = z.looseObject({
  run_id: AgentId,
  /** The ids of what it answers. */
  items: z.array(z.string()),
  /** The request that was, or will be, published to cortex. */
  request: z.looseObject({ prompt: z.string() }),
  channel: Channel.optional(),
  /** Somebody has stopped it: cortex is told so until it has ended. */
  is_unwanted: z.boolean().optional(),
  /** It was stopped before it was asked for: it has no run, and never will. */
  is_unasked: z.boolean().optional(),
  /** Its request was cut to what the bus takes: one that is too large all the same ends. */
  is_fitted: z.boolean().optional(),
  /** The messages of the system that its prompt begins with: they stand in no inbox. */
  prefaces: z.array(InboxItem).optional(),
  /** The ids of the items that its prompt doesn't tell, since there was no room for them. */
  left_out: z.array(z.string()).optional(),
});
export type AgentTurn = z.infer<typeof AgentTurn>;

const amount = z.number().nonnegative().catch(0);

/** `state.json`: how it is now. Replaced whole. */
export const AgentState = z.looseObject({
  /** `ended`: a sub-agent whose work has completed or failed. */
  lifecycle: z.enum(["active", "ended"]),
  /** The backend and model of its last turn. */
  provider: z.looseObject({ backend: z.string().optional(), model: z.string().optional() }),
  /** The model that an owner has chosen for its turns; absent: that of its persona or of the settings. */
  chosen_model: z.string().optional().catch(undefined),
  /** Where outside of its folder it may write: absolute paths. */
  permissions: z.array(z.string()),
  created: z.number().int(),
  updated: z.number().int(),
  last_user_message: z.number().int().optional(),
  /** Where its user was last. */
  last_channel: Channel.optional(),
  /** The run of its last turn, from which a worker of another journal goes on; absent: there is none in this conversation. */
  last_run: AgentId.optional(),
  /** When it last began anew, as an id; absent: never. */
  conversation: z.number().int().optional(),
  /** How large the conversation is, in tokens: what the model said last, and what was added since. */
  context_tokens: z.number().int().catch(0),
  /** The context window of its model, in tokens, where the last turn told it. */
  context_window: z.number().int().optional(),
  /** Whether the conversation has had the index of the memory. */
  has_memory_index: z.boolean(),
  turn: AgentTurn.nullable(),
  /** The cost of this day's turns. */
  spent: z
    .looseObject({
      day: z.string(),
      /** At most, in US dollars, tokens without a known price counted by a guess: what limits go by. One that is not a number is more than any. */
      usd: z.number().nonnegative().catch(Number.MAX_SAFE_INTEGER),
      /** As far as it is known. */
      known_usd: z.number().nonnegative().optional(),
      /** Whether that is all. */
      is_known: z.boolean().optional(),
      /** All tokens. A number that is none is more than any. */
      tokens: z.number().nonnegative().catch(Number.MAX_SAFE_INTEGER).optional(),
      /** Tokens whose price nobody knew. */
      unpriced_tokens: z.number().nonnegative().optional(),
    })
    .optional(),
  /** The name of the conversation. */
  title: z.string().optional().catch(undefined),
  /** Set once a model was asked for the title; `request` as long as its answer isn't here. */
  naming: z
    .looseObject({ request: z.looseObject({ prompt: z.string() }).optional() })
    .optional()
    .catch(undefined),
  /** A summary of the conversation that is being made between two turns. */
  summing: z
    .looseObject({ request: z.looseObject({ prompt: z.string() }) })
    .optional()
    .catch(undefined),
  /** The usage of the conversation since it began, without that of its tasks. */
  accounts: z
    .looseObject({
      /** Messages of people, and the replies to them. */
      messages: amount,
      input_tokens: amount,
      output_tokens: amount,
      /** As far as it is known. */
      cost_usd: amount,
      /** Calls that told no tokens. */
      untold_calls: amount,
      /** Tokens whose price nobody knew. */
      unpriced_tokens: amount,
    })
    .optional()
    .catch(undefined),
  task: z
    .looseObject({
      /** The name of its persona. */
      type: z.string(),
      description: z.string(),
      state: TaskState,
      /** How deep below the agent that people speak to. */
      depth: z.number().int(),
      /** Where the answer belongs. */
      channel: Channel.optional(),
      /** The message for it that may not stand in its inbox yet, kept so that a crash before loses nothing. */
      owed: InboxItem.optional(),
      /** The limits that are left to it: shares of what was left to the turns that sent it off and resumed it. */
      limits: z.record(z.string(), z.number().catch(0)).optional(),
      needs_answer: z.boolean().optional(),
      /** Set when the turn that sent it off has failed: it is stopped, and its end starts no turn. */
      is_unwanted: z.boolean().optional(),
    })
    .optional(),
});
export type AgentState = z.infer<typeof AgentState>;

const record = { ts: z.number().int(), id: z.string() };

const counted = z.number().int().optional().catch(undefined);
const ofRun = { run_id: z.string(), step: counted, attempt: counted };

const toldRecord = {
  text: z.string(),
  run_id: z.string().optional(),
  step: counted,
  attempt: counted,
  input: z.boolean().optional(),
  left_out: z.boolean().optional(),
  unheard: z.boolean().optional(),
  again_of: z.string().optional(),
  moved: z.string().optional(),
};

/**
 * A line of `history.jsonl`. The conversation is rebuilt from these lines alone (`conversation/from-history.ts`):
 * - `user` and `system` records, one behind the other, are the prompt of the run `run_id`; those with `input` were said while it
 *   was running; those with `left_out` were told to nobody, and where one has `unheard`, the prompt of its run wasn't either;
 *   `again_of` is the run id that this one takes the place of, `moved` the id of an input that came too late for its run's
 *   model, and is part of this one's prompt instead;
 * - an `assistant` record with `partial` will never be whole, and `inputs` of those before it came while it was being said;
 * - `step` counts the model calls of the run: calls of tools with one number belong together; `attempt` is left out of the first;
 * - `compact` stands for what is in `archive`; `kept` are the messages behind its summary.
 * Former versions have written neither `step`, `kept` nor the run of users' words.
 */
export const HistoryRecord = z.discriminatedUnion("type", [
  z.looseObject({ ...record, type: z.literal("start") }),
  z.looseObject({ ...record, type: z.literal("reset"), reason: z.string().optional() }),
  z.looseObject({
    ...record,
    type: z.literal("compact"),
    archive: z.string(),
    summary: z.string(),
    kept: z.array(Message).optional().catch(undefined),
    /** The run within which it was summed up; absent: it was between two turns. */
    run_id: z.string().optional(),
    step: counted,
    attempt: counted,
  }),
  z.looseObject({ ...record, ...toldRecord, type: z.literal("user") }),
  z.looseObject({ ...record, ...toldRecord, type: z.literal("system") }),
  z.looseObject({ ...record, ...ofRun, type: z.literal("assistant"), text: z.string(), inputs: counted }),
  z.looseObject({
    ...record,
    ...ofRun,
    type: z.literal("reasoning"),
    provider: z.string().optional(),
    model: z.string().optional(),
    summary: z.string().optional(),
    /** The provider's block, which goes back to it alone. Absent: it can be given back to nobody, and only parts what was said. */
    opaque: z.unknown().optional(),
  }),
  z.looseObject({ ...record, ...ofRun, type: z.literal("tool_call"), call_id: z.string(), tool: z.string() }),
  z.looseObject({ ...record, ...ofRun, type: z.literal("tool_result"), call_id: z.string() }),
]);
export type HistoryRecord = z.infer<typeof HistoryRecord>;
