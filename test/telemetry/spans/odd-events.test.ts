/** Events that come twice, late, in part, or with whatever an agent writes into them. */
import { describe, expect, test } from "vitest";
import { MapperState } from "../../../telemetry/spans/mapper-state.ts";
import { Totals } from "../../../telemetry/metrics/totals.ts";
import { metricsBody, tracesBody } from "../../../telemetry/otlp/encode.ts";
import { schemaProblems } from "../../support/otlp/official-schema.ts";
import { applyEvent } from "../../../telemetry/spans/run-mapper.ts";
import { begun, eventsOf, finish, map, newState, recorded, runId, shortsOf, usage } from "./mapped.ts";

describe("an event makes nothing", () => {
  const events = eventsOf([...begun, { ...usage, at: 300 }, finish]);

  test("when it comes once more, while its run is open or when it is over", () => {
    const state = newState();
    const first = map(events.slice(0, 3), { state });
    expect(map(events.slice(0, 3), { state }).spans).toEqual([]);
    const rest = map(events, { state });
    expect([...first.spans, ...rest.spans].map(({ name }) => name)).toEqual(["chat m-1", "invoke_agent reviewer"]);
    expect(map(events, { state }).spans).toEqual([]);
    expect(state.runs).toEqual({});
  });

  test("when its worker had lost the run", () => {
    const state = newState();
    map(events.slice(0, 2), { state, epoch: 2 });
    expect(map(events.slice(2), { state, epoch: 1 }).spans).toEqual([]);
    expect(shortsOf(map(events.slice(2), { state, epoch: 2 }))).toHaveLength(2);
  });

  test("when it follows a run's end, and the run isn't known", () => {
    const state = newState();
    const after = { event: "handoff", at: 10, to: "1736380800777" };
    expect(map(eventsOf([after, { ...after, event: "saved" }]), { state })).toEqual({ spans: [], measures: [] });
    expect(state.runs).toEqual({});
  });
});

test("a worker that takes a run over begins with the line at which the other one was lost", () => {
  const state = newState();
  const [request, start, said] = eventsOf([...begun, { ...usage, at: 300 }]);
  map(
    [request, start, said].filter((event) => event !== undefined),
    { state, epoch: 1 },
  );
  const taken = eventsOf([...begun.slice(0, 1), { event: "start", at: 500, attempt: 2 }, finish]).slice(1);
  expect(shortsOf(map(taken, { state, epoch: 2 })).at(-1)).toEqual(["invoke_agent reviewer", 100, 900]);
});

test("a state that was kept and read again goes on as if nothing had been", () => {
  const events = recorded("offline");
  const whole = map(events, { content: true });
  for (let cut = 1; cut < events.length; cut++) {
    const before = newState();
    const first = map(events.slice(0, cut), { state: before, content: true });
    const state = MapperState.parse(JSON.parse(JSON.stringify(before)));
    const rest = map(events.slice(cut), { state, content: true });
    expect([...first.spans, ...rest.spans]).toEqual(whole.spans);
    expect([...first.measures, ...rest.measures]).toEqual(whole.measures);
  }
});

test("whatever an agent writes into its events, names are short, and bodies are OTLP by the official schema", () => {
  const odd = [null, 17, -5, 1e300, 0.5, "", "x".repeat(100_000), "\ud800", { a: 1 }, ["x"]];
  for (const value of odd) {
    const events = eventsOf([
      { event: "request", at: 0, prompt: value, persona: value, agent: value, handoff_from: value, backend: value },
      { event: "start", at: 1, backend: value, model: value },
      {
        event: "usage",
        at: 2,
        model: value,
        input_tokens: value,
        cost_usd: value,
        finish_reason: value,
        purpose: value,
      },
      { event: "retry", at: 3, delay_ms: value, status: value },
      { event: "tool_start", at: 4, tool: value, call_id: value, args: value },
      { event: "tool_end", at: 5, tool: value, call_id: value, result: value, duration_ms: value },
      { event: "error", at: 6, error: value, reason: value, detail: value },
    ]);
    const { spans, measures } = map(events, { content: true });
    const totals = new Totals({ since: 0, series: [] });
    for (const measure of measures) totals.add(measure);
    const sender = { instance: "journal-1", version: "1" };
    const ofTotals = metricsBody(sender, totals.points, totals.since, 1736380900000);
    expect(schemaProblems("/v1/traces", JSON.parse(tracesBody(sender, spans)))).toEqual([]);
    expect(schemaProblems("/v1/metrics", JSON.parse(ofTotals))).toEqual([]);
    expect(spans.at(-1)?.name).toMatch(/^invoke_agent /);
    for (const { name } of spans) {
      expect(name.length).toBeLessThan(300);
      expect(name.isWellFormed()).toBe(true);
    }
  }
});

test("a text where a kind is expected is none: it goes into no attribute and no metric", () => {
  const words = "Words of the prompt!";
  const events = eventsOf([
    ...begun,
    { event: "usage", at: 200, model: "m-1", finish_reason: words, purpose: words },
    { event: "error", at: 300, error: words, reason: words, detail: words },
  ]);
  const { spans, measures } = map(events);
  expect(JSON.stringify([spans, measures])).not.toContain(words);
  expect(spans.at(-1)?.attributes["error.type"]).toBe("_OTHER");
});

test("an event of a run that isn't known begins it, as where the stream has lost its beginning", () => {
  const events = eventsOf([...begun, { ...usage, at: 300 }, finish]).slice(2);
  expect(map(events).spans.map(({ name }) => name)).toEqual(["chat m-1-0613", "invoke_agent default"]);
});

test("events up to a time begin no run, those of a run that is open go on", () => {
  const state = newState();
  const [request, ...rest] = eventsOf([...begun, { ...usage, at: 300 }, finish]);
  if (request) applyEvent(state, request, 1, false);
  state.read_before = Number(runId) + 1000;
  expect(map(eventsOf([...begun, finish], "1736380800005"), { state }).spans).toEqual([]);
  expect(shortsOf(map(rest, { state })).at(-1)?.[0]).toBe("invoke_agent reviewer");
});
