/** Events of a run for the mapper, and what it makes of them. */
import { readFileSync } from "node:fs";
import { attributes as names } from "../../../telemetry/conventions/names.ts";
import { allFinished, type Finished } from "../../../telemetry/spans/mapper-context.ts";
import { type MapperState, newMapperState } from "../../../telemetry/spans/mapper-state.ts";
import { applyEvent } from "../../../telemetry/spans/run-mapper.ts";
import type { Span } from "../../../telemetry/otlp/telemetry-data.ts";
import { AgentEvent } from "../../../protocol/runs/event.ts";

export const runId = "1736380800000";

type Written = { event: string; at: number; [field: string]: unknown };

/** Events as they stand in a run's file. @field at milliseconds after the run's id */
export const eventsOf = (written: readonly Written[], agentId = runId): AgentEvent[] =>
  written.map(({ at, ...event }, index) =>
    AgentEvent.parse({ ...event, ts: Number(agentId) + at, agent_id: agentId, seq: index + 1 }),
  );

/** Events of a run that was recorded. */
export function recorded(name: string): AgentEvent[] {
  const lines = readFileSync(new URL(`recorded/${name}.jsonl`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => AgentEvent.parse(JSON.parse(line)));
}

export const newState = (): MapperState => newMapperState("journal-1");

export function map(
  events: readonly AgentEvent[],
  { state = newState(), content = false, epoch = 1 }: { state?: MapperState; content?: boolean; epoch?: number } = {},
): Finished {
  return allFinished(events.map((event) => applyEvent(state, event, epoch, content)));
}

/** Name, begin and end in milliseconds after the run's id, and how it failed. */
export const shortOf = ({ name, start, end, attributes: { [names.errorType]: failure } }: Span, id = runId) =>
  [name, start - Number(id), end - Number(id), ...(failure === undefined ? [] : [failure])] as const;

export const shortsOf = ({ spans }: Finished, id = runId) => spans.map((span) => shortOf(span, id));

export const begun: Written[] = [
  { event: "request", at: 0, prompt: "hello", persona: "reviewer" },
  { event: "start", at: 100, persona: "reviewer", backend: "anthropic", model: "m-1", attempt: 1 },
];

/** The end of a run, and a model call of one. */
export const finish = { event: "finish", at: 900, result: "done" };
export const usage = {
  event: "usage",
  model: "m-1-0613",
  input_tokens: 812,
  output_tokens: 64,
  cost_usd: 0.25,
  finish_reason: "stop",
};
