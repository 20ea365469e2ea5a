/** What a run says: one event a line of its file, and one message each on `cortex.event.<agent_id>.<event>`. */
import { z } from "zod";
import { FileParts } from "../files/attachment.ts";
import { AgentId } from "../names/names.ts";

/** Why a run ended in an error. */
export const ErrorReason = z.enum([
  "provider",
  "config",
  "crash",
  "timeout",
  "idle",
  "cancelled",
  "budget",
  "interrupted",
  "internal",
  "loop",
]);
export type ErrorReason = z.infer<typeof ErrorReason>;

const text = (description: string) => z.string().meta({ description });
const count = (description: string) => z.number().nonnegative().meta({ description });

/** Most tokens and dollars that one event may tell of: more isn't believed. What a whole run uses is less by far. */
export const mostTokens = 10_000_000_000;
export const mostUsd = 1_000_000;
const tokens = (description: string) => z.number().nonnegative().max(mostTokens).meta({ description });

/** Token counts and cost, of one call or of a whole run. */
export const Usage = z.looseObject({
  model: text("The model that answered.").optional(),
  input_tokens: tokens("Tokens sent, the cached ones included.").optional(),
  cached_input_tokens: tokens("Those of `input_tokens` that the provider had cached.").optional(),
  output_tokens: tokens("Tokens answered, reasoning included.").optional(),
  reasoning_tokens: tokens("Those of `output_tokens` that were reasoning.").optional(),
  cost_usd: z
    .number()
    .nonnegative()
    .max(mostUsd)
    .nullable()
    .optional()
    .meta({ description: "`null` where no price is known." }),
});
export type Usage = z.infer<typeof Usage>;

const inputs = count("How many of the inputs of this attempt its model has heard; absent: none.").optional();

const parts = FileParts.optional().catch(undefined);

const callId = text("Joins a `tool_start` with its `tool_end`.");

/** Every known event's own fields. `ts`, `agent_id` and `seq` are stamped by cortex. */
export const eventShapes = {
  request: z
    .looseObject({ prompt: text("What was asked. Every other field of the request stands here too."), parts })
    .meta({
      description: "The request as received: the first line.",
      examples: [{ prompt: "hello", persona: "default" }],
    }),
  start: z
    .looseObject({
      persona: text("The persona that answers.").optional(),
      backend: text("The backend that runs it.").optional(),
      model: z.string().nullable().optional().meta({ description: "The model, where the backend has one." }),
      prompt: text("What the agent was asked.").optional(),
      parts,
      attempt: z
        .number()
        .int()
        .positive()
        .optional()
        .meta({ description: "Which attempt of the run this is, from 1." }),
    })
    .meta({
      description: "The subprocess is at work.",
      examples: [{ persona: "default", backend: "offline", model: "extractive", prompt: "hello", attempt: 1 }],
    }),
  adopted: z
    .looseObject({ worker: text("The cortex that took the run up again.") })
    .meta({ description: "A restarted cortex took the living run up again.", examples: [{ worker: "laptop-4242" }] }),
  text: z.looseObject({ text: text("What the model said.") }).meta({
    description: "What the model said between tool calls.",
    examples: [{ text: "Let me look at last week." }],
  }),
  thinking: z
    .looseObject({
      summary: text("The reasoning in words, as far as the provider gives it.").optional(),
      model: text("The model that reasoned.").optional(),
      opaque: z
        .unknown()
        .optional()
        .meta({ description: "The provider's signed block, sent back to the same provider and model alone." }),
    })
    .meta({ description: "The model reasoned.", examples: [{ summary: "The user means the garden.", model: "m-1" }] }),
  tool_start: z
    .looseObject({
      tool: text("The tool's name."),
      args: z.unknown().optional().meta({ description: "Its arguments." }),
      call_id: callId,
    })
    .meta({
      description: "A tool call begins.",
      examples: [{ tool: "search_journal", args: { query: "garden" }, call_id: "call-1" }],
    }),
  tool_end: z
    .looseObject({
      tool: text("The tool's name.").optional(),
      args: z.unknown().optional().meta({ description: "Its arguments." }),
      result: z.unknown().optional().meta({ description: "What the model reads." }),
      call_id: callId,
      parts,
      is_error: z.boolean().optional().meta({ description: "The result tells of a failure." }),
      duration_ms: z.number().optional().meta({ description: "How long it took, in ms." }),
    })
    .meta({
      description: "A tool call ended.",
      examples: [
        {
          tool: "search_journal",
          args: { query: "garden" },
          result: "20250108/notes.md:4: ordered the seeds",
          call_id: "call-1",
          is_error: false,
          duration_ms: 12,
        },
      ],
    }),
  agent_updated: z
    .looseObject({ agent: text("The agent that goes on.") })
    .meta({ description: "The backend switched to another agent of its own.", examples: [{ agent: "researcher" }] }),
  text_delta: z.looseObject({ text: text("A piece of the answer.") }).meta({
    description: "A piece of the answer as it comes. On the bus alone, and only with `stream`.",
    examples: [{ text: "Noth" }],
  }),
  tool_output: z.looseObject({ call_id: callId, text: text("A piece of what it prints.") }).meta({
    description: "A piece of what a tool prints as it comes. On the bus alone.",
    examples: [{ call_id: "call-1", text: "12 tests passed" }],
  }),
  usage: Usage.extend({ inputs }).meta({
    description: "What one model call used.",
    examples: [
      {
        model: "m-1",
        input_tokens: 812,
        cached_input_tokens: 0,
        output_tokens: 64,
        reasoning_tokens: 0,
        cost_usd: null,
      },
    ],
  }),
  retry: z
    .looseObject({
      attempt: z.number().meta({ description: "The attempt that failed, from 1." }),
      delay_ms: z.number().meta({ description: "How long until the next, in ms." }),
      reason: text("Why it failed."),
    })
    .meta({
      description: "A model call failed and is tried again.",
      examples: [{ attempt: 1, delay_ms: 2104, reason: "429" }],
    }),
  input: z
    .looseObject({
      text: text("What was said."),
      id: text("Said to the turn of an agent: which of its messages this is.").optional(),
      parts,
    })
    .meta({
      description: "Something was said to the run while it was running.",
      examples: [{ text: "Only this year, please." }],
    }),
  granted: z
    .looseObject({
      id: text("Under which it was asked for: the same id again gives nothing more."),
      limits: z.record(z.string(), z.number()).meta({ description: "What was given of which limit." }),
    })
    .meta({
      description: "The run gave of its limits to somebody whom it sends off: they are that much lower from here on.",
      examples: [{ id: "c0ffee", limits: { max_total_tokens: 435 } }],
    }),
  permission: z
    .looseObject({
      id: text("Of the question: `cortex permissions allow ID`."),
      tool: text("The tool that was called; `loop`: the run seems to go in a circle."),
      args: z.unknown().optional().meta({ description: "The call's arguments, long ones cut." }),
      why: text("Why somebody is asked."),
      expires: z.number().int().meta({ description: "When the call is denied since nobody answered, in ms." }),
      loop: z.boolean().optional().meta({ description: "It is asked since the run repeats itself." }),
      call_id: text("The call's, as in its `tool_start`, where the backend says it.").optional(),
    })
    .meta({
      description: "A call waits for a person. The run's clocks stand still until it is decided.",
      examples: [
        {
          id: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f",
          tool: "bash",
          args: { command: "npm publish" },
          why: "commands that run outside of a sandbox are asked about",
          expires: 1736381100000,
        },
      ],
    }),
  permission_decided: z
    .looseObject({
      id: text("Of the question."),
      decision: z.enum(["allow", "deny"]).meta({ description: "What was decided." }),
      by: text("Who has decided, as `<channel>:<userId>`; `timeout`: nobody has."),
      always: z.boolean().optional().meta({ description: "A rule was kept, too." }),
    })
    .meta({
      description: "The call goes on, or is denied.",
      examples: [{ id: "5f0c8d0e9b1a4c7d8e2f3a4b5c6d7e8f", decision: "allow", by: "telegram:17" }],
    }),
  pulse: z.looseObject({}).meta({
    description: "The backend heard from its provider. Resets the idle clock; neither in the file nor on the bus.",
    examples: [{}],
  }),
  info: z.looseObject({ message: text("What there is to know.") }).meta({
    description: "A line of output that is not an event of a known shape, or something worth knowing.",
    examples: [{ message: 'unknown field "colour" goes to the backend' }],
  }),
  finish: z
    .looseObject({
      result: text("The answer."),
      usage: Usage.optional().meta({ description: "Totals of the run." }),
      inputs,
      handoff: z.record(z.string(), z.unknown()).optional().meta({
        description:
          "The next request, as the agent wants it: `persona`, `prompt`, `backend`, `model`, `save`, `day`, `facet`.",
      }),
    })
    .meta({
      description: "The run succeeded. Terminal.",
      examples: [{ result: "Nothing found.", usage: { input_tokens: 812, output_tokens: 64, cost_usd: null } }],
    }),
  error: z
    .looseObject({
      error: text("What went wrong, with which value, and what to do."),
      reason: ErrorReason.optional().meta({ description: "Its kind." }),
      detail: text(
        "What exactly, for programs. `source_missing`: a run of the chain that `continue_from` begins isn't there.",
      ).optional(),
      trace: text("The end of stderr, or a stack.").optional(),
      exit_code: z.number().int().nullable().optional().meta({ description: "The subprocess's exit code." }),
      terminal: z.boolean().optional().meta({ description: "`false`: the run goes on." }),
    })
    .meta({
      description: "The run failed. Terminal, unless `terminal` is `false`.",
      examples: [{ error: "exited with code 3", reason: "crash", trace: "boom\n", exit_code: 3 }],
    }),
  saved: z
    .looseObject({ path: text("The file, relative to the journal.") })
    .meta({ description: "The result was saved. After `finish`.", examples: [{ path: "20250109/digest.md" }] }),
  save_failed: z.looseObject({ error: text("Why.") }).meta({
    description: "The result could not be saved. After `finish`.",
    examples: [{ error: "no space left on device" }],
  }),
  handoff: z
    .looseObject({ to: AgentId.meta({ description: "The child's id." }) })
    .meta({ description: "The run handed on. After `saved`.", examples: [{ to: "1736380800777" }] }),
  continue: z.looseObject({ to: AgentId.meta({ description: "The later run's id." }) }).meta({
    description: "A later run continues from this one. Appended to the ended file.",
    examples: [{ to: "1736380900000" }],
  }),
} as const;
export type EventName = keyof typeof eventShapes;

/** The event names that only cortex may write: from an agent they become `info`. */
export const cortexOwnEvents: ReadonlySet<string> = new Set<EventName>([
  "request",
  "adopted",
  "input",
  "granted",
  "permission",
  "permission_decided",
  "saved",
  "save_failed",
  "handoff",
  "continue",
]);

/** What every event carries. */
export const Stamp = z.object({
  event: z.string().meta({ description: "Its name." }),
  ts: z.number().int().meta({ description: "When, in ms since 1970." }),
  agent_id: AgentId,
  seq: z.number().int().positive().meta({ description: "The line number in the run's file, from 1." }),
  // Unknown: in the first line, and in files of before there was a chain, it is whatever somebody else put there.
  prev: z.unknown().optional().meta({
    description:
      "From the second line on: the first 32 hex digits of the SHA-256 of the line before, without its LF, so that a changed, removed, added or moved line is found (`cortex audit verify`).",
  }),
});

/** An event as it stands in a run's file. Loose: what a newer side sends is kept. */
export const AgentEvent = z.looseObject({ ...Stamp.shape }).meta({
  id: "AgentEvent",
  title: "Event",
  description: "A line of a run's file, and a message on the bus.",
  examples: [
    { event: "request", ts: 1736380800000, agent_id: "1736380800000", seq: 1, prompt: "hello" },
    {
      event: "start",
      ts: 1736380800031,
      agent_id: "1736380800000",
      seq: 2,
      prev: "ec1c2e35f6c4862d7f114bb2fb601b73",
      persona: "default",
      backend: "offline",
      model: "extractive",
      prompt: "hello",
      attempt: 1,
    },
    {
      event: "tool_end",
      ts: 1736380800112,
      agent_id: "1736380800000",
      seq: 4,
      tool: "search_journal",
      args: { query: "hello" },
      result: "nothing found",
      call_id: "search_journal-1",
      is_error: false,
      duration_ms: 12,
    },
    {
      event: "finish",
      ts: 1736380800140,
      agent_id: "1736380800000",
      seq: 5,
      result: "Nothing found.",
      usage: { input_tokens: 0 },
    },
  ],
});
export type AgentEvent = z.infer<typeof AgentEvent>;

/** An event before it is stamped. */
export type EventBody = { event: string; [field: string]: unknown };

/** Whether an event ends a run: `finish`, or an `error` that doesn't say `terminal: false`. */
export function isTerminal(event: EventBody): boolean {
  return event.event === "finish" || (event.event === "error" && event["terminal"] !== false);
}
