import { expect, test } from "vitest";
import { RunCostSum } from "../../../journal/costs/run-cost.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { agentId, event } from "../temporary-journal.ts";

function runCost(id: string, events: AgentEvent[]) {
  const sum = new RunCostSum(id);
  for (const said of events) sum.add(said);
  return sum.cost;
}

const quarter = 1_736_380_800_000;
const start = event(2, "start", { persona: "liar", backend: "anthropic", model: "m-1" });
const request = event(1, "request", { prompt: "hello", persona: "digest", agent: "mainagent" });

test("each model call counts, whether it was a retry's, a silent turn's or an attempt's", () => {
  const call = { input_tokens: 10, cached_input_tokens: 4, output_tokens: 5, reasoning_tokens: 2, cost_usd: 0.25 };
  const events = [
    request,
    start,
    event(3, "usage", call),
    event(4, "retry", { attempt: 1, delay_ms: 1, reason: "broken" }),
    event(5, "usage", call),
    event(6, "start", { attempt: 2, backend: "anthropic", model: "m-1" }),
    event(7, "usage", { ...call, model: "m-2", cost_usd: null }),
    event(8, "finish", { result: "done", usage: { input_tokens: 999 } }),
  ];
  const { parts, ...rest } = runCost(agentId, events);
  expect(rest).toEqual({
    agent_id: agentId,
    persona: "digest",
    agent: "mainagent",
    backend: "anthropic",
    started: quarter + 2,
  });
  expect(parts.map(({ model, spent }) => [model, spent.calls, spent.input_tokens, spent.unpriced_tokens])).toEqual([
    ["m-1", 2, 20, 0],
    ["m-2", 1, 10, 15],
  ]);
});

test("calls are kept apart by the quarter of the hour, so that they can be put together to any day", () => {
  const at = (seq: number, ms: number) => ({ ...event(seq, "usage", { input_tokens: 1 }), ts: quarter + ms });
  const { parts } = runCost(agentId, [request, start, at(3, 0), at(4, 899_999), at(5, 900_000)]);
  expect(parts.map(({ quarter: when, spent }) => [when - quarter, spent.calls])).toEqual([
    [0, 2],
    [900_000, 1],
  ]);
});

test("a run that told only its totals has these; one that told nothing has no parts; one that never was at work no start", () => {
  const totals = event(3, "finish", { result: "x", usage: { input_tokens: 7, cost_usd: 1 } });
  expect(runCost(agentId, [request, start, totals]).parts).toMatchObject([{ spent: { input_tokens: 7, cost_usd: 1 } }]);
  expect(runCost(agentId, [request, start, event(3, "finish", { result: "x" })]).parts).toEqual([]);
  const refused = runCost(agentId, [event(1, "request", { prompt: "x" }), event(2, "error", { error: "no persona" })]);
  expect(refused).toEqual({
    agent_id: agentId,
    persona: "default",
    agent: null,
    backend: null,
    started: null,
    parts: [],
  });
});
