/** An event of a run: one line of its file, and one message on `cortex.event.<agent_id>.<event>`. */
import { z } from "zod";
import { controlEvents } from "../events/control-events.ts";
import { text } from "../events/event-fields.ts";
import { endEvents, startEvents } from "../events/life-events.ts";
import { modelEvents } from "../events/model-events.ts";
import { AgentId } from "../names/names.ts";

/** Every known event's own fields. `ts`, `agent_id` and `seq` are stamped by cortex. */
export const eventShapes = {
  ...startEvents,
  ...modelEvents,
  ...controlEvents,
  info: z.looseObject({ message: text("The fact to know.") }).meta({
    description: "A line of output that is no event, or whose name is cortex's own, or something worth knowing.",
    examples: [{ message: 'unknown field "colour" goes to the backend' }],
  }),
  ...endEvents,
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
  "clocks_stopped",
  "clocks_resumed",
  "changes",
  "saved",
  "save_failed",
  "handoff",
  "continue",
]);

/** The fields that every event carries. */
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
