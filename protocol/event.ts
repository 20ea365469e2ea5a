/** What a run says: one event a line of its file, and one message each on `cortex.event.<agent_id>.<event>`. */
import { z } from "zod";
import { AgentId } from "./names.ts";

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
]);
export type ErrorReason = z.infer<typeof ErrorReason>;

/** Token counts and cost, of one call or of a whole run. */
export const Usage = z.looseObject({
  model: z.string().optional(),
  input_tokens: z.number().nonnegative().optional(),
  cached_input_tokens: z.number().nonnegative().optional(),
  output_tokens: z.number().nonnegative().optional(),
  reasoning_tokens: z.number().nonnegative().optional(),
  cost_usd: z.number().nonnegative().nullable().optional().meta({ description: "null where no price is known." }),
});
export type Usage = z.infer<typeof Usage>;

const text = (description: string) => z.string().meta({ description });

/** Every known event's own fields. `ts`, `agent_id` and `seq` are stamped by cortex. */
export const eventShapes = {
  request: z.looseObject({ prompt: text("The request as received: every other field of it stands here too.") }),
  start: z.looseObject({
    persona: z.string().optional(),
    backend: z.string().optional(),
    model: z.string().nullable().optional(),
    prompt: z.string().optional(),
    attempt: z.number().int().positive().optional().meta({ description: "From 1." }),
  }),
  adopted: z.looseObject({ worker: text("The restarted cortex that took the living run up again.") }),
  text: z.looseObject({ text: text("What the model said between tool calls.") }),
  thinking: z.looseObject({
    summary: z.string().optional(),
    model: z.string().optional(),
    opaque: z.unknown().optional().meta({ description: "The provider's signed block, sent back to it alone." }),
  }),
  tool_start: z.looseObject({ tool: z.string(), args: z.unknown().optional(), call_id: z.string() }),
  tool_end: z.looseObject({
    tool: z.string().optional(),
    args: z.unknown().optional(),
    result: z.unknown().optional(),
    call_id: z.string(),
    is_error: z.boolean().optional(),
    duration_ms: z.number().optional(),
  }),
  agent_updated: z.looseObject({ agent: z.string() }),
  text_delta: z.looseObject({ text: text("A piece of the answer. On the bus alone, and only with `stream`.") }),
  usage: Usage.meta({ description: "One a model call." }),
  retry: z.looseObject({ attempt: z.number(), delay_ms: z.number(), reason: z.string() }),
  input: z.looseObject({ text: text("Something said to the run while it was running.") }),
  pulse: z.looseObject({}).meta({ description: "Resets the idle clock. Neither in the file nor on the bus." }),
  info: z.looseObject({ message: text("A line that isn't an event of a known shape, or something worth knowing.") }),
  finish: z.looseObject({
    result: z.string(),
    usage: Usage.optional(),
    handoff: z.record(z.string(), z.unknown()).optional(),
  }),
  error: z.looseObject({
    error: z.string(),
    reason: ErrorReason.optional(),
    trace: z.string().optional(),
    exit_code: z.number().int().nullable().optional(),
    terminal: z.boolean().optional().meta({ description: "`false`: the run goes on." }),
  }),
  saved: z.looseObject({ path: text("Relative to the journal.") }),
  save_failed: z.looseObject({ error: z.string() }),
  handoff: z.looseObject({ to: AgentId }),
  continue: z.looseObject({ to: AgentId }),
} as const;
export type EventName = keyof typeof eventShapes;

/** The event names that only cortex may write: from an agent they become `info`. */
export const cortexOwnEvents: ReadonlySet<string> = new Set<EventName>([
  "request",
  "adopted",
  "input",
  "saved",
  "save_failed",
  "handoff",
  "continue",
]);

/** What every event carries. */
export const Stamp = z.object({
  event: z.string(),
  ts: z.number().int().meta({ description: "Milliseconds." }),
  agent_id: AgentId,
  seq: z.number().int().positive().meta({ description: "The line number in the run's file, from 1." }),
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
    { event: "finish", ts: 1736380800140, agent_id: "1736380800000", seq: 5, result: "Nothing found.", usage: { input_tokens: 0 } },
  ],
});
export type AgentEvent = z.infer<typeof AgentEvent>;

/** An event before it is stamped. */
export type EventBody = { event: string; [field: string]: unknown };

/** Whether an event ends a run: `finish`, or an `error` that doesn't say `terminal: false`. */
export function isTerminal(event: EventBody): boolean {
  return event.event === "finish" || (event.event === "error" && event["terminal"] !== false);
}
