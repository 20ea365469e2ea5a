import { describe, expect, test } from "vitest";
import { runPlace } from "../../../telemetry/conventions/trace-ids.ts";
import { begun, eventsOf, finish, map, newState, recorded, runId, shortsOf, usage } from "./mapped.ts";

describe("a run that was recorded", () => {
  test("with the offline backend becomes a span of the run, one a model call, and one a call of a tool", () => {
    const events = recorded("offline");
    const { spans } = map(events);
    expect(spans.map(({ name }) => name)).toEqual([
      "chat extractive",
      "execute_tool search_journal",
      "chat extractive",
      "execute_tool get_resource",
      "execute_tool get_resource",
      "chat extractive",
      "invoke_agent default",
    ]);
    const root = spans.at(-1);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.slice(0, -1).map(({ parentSpanId }) => parentSpanId)).toEqual(Array(6).fill(root?.spanId));
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const { start, end } of spans) expect(start).toBeLessThanOrEqual(end);
    expect(root?.start).toBe(events.find(({ event }) => event === "start")?.ts);
  });

  test("that never started is a span that failed, for its reason", () => {
    const { spans, measures } = map(recorded("refused"));
    expect(spans).toMatchObject([
      { name: "invoke_agent default", attributes: { "error.type": "config", "cortex.run.attempts": 0 }, failure: {} },
    ]);
    expect(measures).toMatchObject([{ metric: "agentSeconds", attributes: { "error.type": "config" } }]);
  });

  test("keeps nothing of what was said while it is open, but where content is sent", () => {
    const [state, withContent] = [newState(), newState()];
    map(recorded("offline").slice(0, 4), { state });
    map(recorded("offline").slice(0, 4), { state: withContent, content: true });
    expect(JSON.stringify(state)).not.toContain("heater");
    expect(JSON.stringify(withContent)).toContain("What did we decide about the greenhouse heater?");
    expect(JSON.stringify(withContent)).toContain("decide greenhouse heater");
  });

  test("tells nothing of what was said, but where content is sent", () => {
    const said = ["greenhouse heater", "electric", "Electric", "lemon"];
    const without = JSON.stringify(map(recorded("offline")));
    const withIt = JSON.stringify(map(recorded("offline"), { content: true }));
    for (const words of said) expect(without).not.toContain(words);
    expect(withIt).toContain("What did we decide about the greenhouse heater?");
    expect(withIt).toContain("Greenhouse heater: decided");
  });
});

describe("what happened in a run, and its spans", () => {
  test.each([
    ["a model call begins when the run starts", [{ ...usage, at: 300 }, finish], [["chat m-1", 100, 300]]],
    [
      "and after a tool, when that ended",
      [
        { ...usage, at: 300 },
        { event: "tool_start", at: 310, tool: "read", call_id: "c1" },
        { event: "tool_end", at: 400, tool: "read", call_id: "c1", result: "text" },
        { ...usage, at: 600 },
        finish,
      ],
      [
        ["chat m-1", 100, 300],
        ["execute_tool read", 310, 400],
        ["chat m-1", 400, 600],
      ],
    ],
    [
      "calls of tools that overlap are told apart by their ids",
      [
        { event: "tool_start", at: 200, tool: "a", call_id: "c1" },
        { event: "tool_start", at: 210, tool: "b", call_id: "c2" },
        { event: "tool_end", at: 300, call_id: "c1" },
        { event: "tool_end", at: 400, call_id: "c2", is_error: true },
        finish,
      ],
      [
        ["execute_tool a", 200, 300],
        ["execute_tool b", 210, 400, "_OTHER"],
      ],
    ],
    [
      "a call of a tool that never ended ends with the run",
      [{ event: "tool_start", at: 200, tool: "slow", call_id: "c1" }, finish],
      [["execute_tool slow", 200, 900, "interrupted"]],
    ],
    [
      "and with its attempt, where another follows",
      [
        { event: "tool_start", at: 200, tool: "slow", call_id: "c1" },
        { event: "error", at: 300, error: "crashed", reason: "crash", terminal: false },
        { event: "start", at: 500, attempt: 2, model: "m-1" },
        { ...usage, at: 600 },
        finish,
      ],
      [
        ["execute_tool slow", 200, 500, "interrupted"],
        ["chat m-1", 500, 600],
      ],
    ],
    [
      "an end without a beginning says how long it took",
      [{ event: "tool_end", at: 500, tool: "read", call_id: "c9", duration_ms: 120 }, finish],
      [["execute_tool read", 380, 500]],
    ],
    [
      "a call that is tried again has failed, and the next begins after the wait",
      [
        { event: "retry", at: 200, attempt: 1, delay_ms: 150, reason: "429", status: 429 },
        { ...usage, at: 600 },
        finish,
      ],
      [
        ["chat m-1", 100, 200, "429"],
        ["chat m-1", 350, 600],
      ],
    ],
    [
      "a call that broke off and told its usage is one span",
      [
        { ...usage, at: 200, finish_reason: "error" },
        { event: "retry", at: 210, attempt: 1, delay_ms: 0, reason: "broke off" },
        { ...usage, at: 600 },
        finish,
      ],
      [
        ["chat m-1", 100, 200, "_OTHER"],
        ["chat m-1", 210, 600],
      ],
    ],
    [
      "a call after which a run gives up is told of by its end",
      [{ event: "error", at: 700, error: "429 too many", reason: "provider", detail: "rate_limited" }],
      [["chat m-1", 100, 700, "rate_limited"]],
    ],
    ["a call that is repeated by its backend is none", [{ ...usage, at: 300, repeated: true }, finish], []],
    ["calls that the backend doesn't show have no span", [{ ...usage, at: 300, purpose: "internal" }, finish], []],
    [
      "a summary's call has the model that wrote it",
      [{ ...usage, at: 300, purpose: "compaction", model: "m-small" }, finish],
      [["chat m-small", 100, 300]],
    ],
  ] as const)("%s", (_, events, expected) => {
    const short = shortsOf(map(eventsOf([...begun, ...events])));
    expect(short.slice(0, -1)).toEqual(expected);
    expect(short.at(-1)?.[0]).toBe("invoke_agent reviewer");
  });
});

test("the attributes of spans have the conventions' names", () => {
  const call = { event: "tool_start", at: 310, tool: "read", call_id: "c1", args: { path: "a" } };
  const ended = { event: "tool_end", at: 400, tool: "read", call_id: "c1", result: "text" };
  const { spans } = map(eventsOf([...begun, { ...usage, at: 300, cached_input_tokens: 7 }, call, ended, finish]), {
    content: true,
  });
  const shared = { "gen_ai.provider.name": "anthropic", "gen_ai.agent.name": "reviewer" };
  expect(spans.map(({ kind, attributes }) => ({ kind, attributes }))).toEqual([
    {
      kind: "client",
      attributes: {
        ...shared,
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m-1",
        "gen_ai.response.model": "m-1-0613",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 812,
        "gen_ai.usage.cache_read.input_tokens": 7,
        "gen_ai.usage.output_tokens": 64,
        "cortex.cost_usd": { double: 0.25 },
      },
    },
    {
      kind: "internal",
      attributes: {
        ...shared,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "read",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": '{"path":"a"}',
        "gen_ai.tool.call.result": '"text"',
      },
    },
    {
      kind: "internal",
      attributes: {
        ...shared,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.request.model": "m-1",
        "gen_ai.usage.input_tokens": 812,
        "gen_ai.usage.cache_read.input_tokens": 7,
        "gen_ai.usage.output_tokens": 64,
        "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"hello"}]}]',
        "gen_ai.output.messages":
          '[{"role":"assistant","parts":[{"type":"text","content":"done"}],"finish_reason":"stop"}]',
        "cortex.run.id": runId,
        "cortex.run.attempts": 1,
        "cortex.cost_usd": { double: 0.25 },
      },
    },
  ]);
});

describe("measures of a run", () => {
  test("are tokens, cost, and how long its calls, its tools and itself took", () => {
    const call = { event: "tool_start", at: 310, tool: "read", call_id: "c1" };
    const ended = { event: "tool_end", at: 400, tool: "read", call_id: "c1" };
    const { measures } = map(eventsOf([...begun, { ...usage, at: 300 }, call, ended, finish]));
    expect(measures.map(({ metric, value }) => [metric, value])).toEqual([
      ["callSeconds", 0.2],
      ["tokens", 812],
      ["tokens", 64],
      ["costUsd", 0.25],
      ["toolSeconds", 0.09],
      ["agentSeconds", 0.8],
    ]);
  });

  test("count the totals of a backend that told of no call, once", () => {
    const totals = { ...finish, usage: { input_tokens: 10, output_tokens: 5, cost_usd: 0.5 } };
    const of = (...events: Parameters<typeof eventsOf>[0]) =>
      map(eventsOf([...begun, ...events])).measures.filter(({ metric }) => metric === "tokens");
    expect(of(totals).map(({ value }) => value)).toEqual([10, 5]);
    for (const { attributes } of of(totals))
      expect(attributes).toMatchObject({ "gen_ai.operation.name": "invoke_agent", "gen_ai.request.model": "m-1" });
    const told = of({ ...usage, at: 300 }, totals);
    expect(told.map(({ value, attributes }) => [value, attributes["gen_ai.operation.name"]])).toEqual([
      [812, "chat"],
      [64, "chat"],
    ]);
  });

  test("leave out tokens that are estimated: the conventions want none of those", () => {
    const { measures } = map(eventsOf([...begun, { ...usage, at: 300, estimated: true }, finish]));
    expect(measures.map(({ metric }) => metric)).toEqual(["callSeconds", "costUsd", "agentSeconds"]);
  });
});

test("of more calls of tools than may be open at once, those beyond are told of by their end", () => {
  const count = 300;
  const calls = Array.from({ length: count }, (_, index) => ({ tool: "read", call_id: `c${index}` }));
  const state = newState();
  map(eventsOf([...begun, ...calls.map((call) => ({ event: "tool_start", at: 200, ...call }))]), { state });
  expect(state.runs[runId]?.tools).toHaveLength(256);
  const ends = calls.map((call) => ({ event: "tool_end", at: 500, duration_ms: 100, ...call }));
  const silent = Array.from({ length: count + begun.length }, () => ({ event: "text", at: 200 }));
  const { spans } = map(eventsOf([...silent, ...ends]).slice(silent.length), { state });
  expect(spans).toHaveLength(count);
  expect(new Set(spans.map(({ start }) => start - Number(runId)))).toEqual(new Set([200, 400]));
  expect(spans.filter(({ start }) => start === Number(runId) + 200)).toHaveLength(256);
});

describe("links", () => {
  const linked = (fields: Record<string, unknown>, state = newState(), id = "1736380900000") => {
    const events = eventsOf(
      [{ event: "request", at: 0, prompt: "x", ...fields }, { event: "start", at: 1 }, finish],
      id,
    );
    return map(events, { state }).spans[0]?.links;
  };
  const [earlier, other] = ["1736380700000", "1736380600000"];

  test("lead to the run that handed on, and to the one that is continued", () => {
    expect(linked({ handoff_from: earlier, continue_from: other })).toEqual([
      { ...runPlace("journal-1", earlier), attributes: { "cortex.link.kind": "handoff" } },
      { ...runPlace("journal-1", other), attributes: { "cortex.link.kind": "continuation" } },
    ]);
    expect(linked({ handoff_from: "../../etc" })).toEqual([]);
  });

  test.each([
    ["as an object", { taskId: "abcdefghijklmnopqrstuvwx", status: "running" }],
    ["as JSON", '{"taskId":"abcdefghijklmnopqrstuvwx","status":"running"}'],
  ])("lead from a task's turn to the call that sent it off, whose answer names it %s", (_, result) => {
    const state = newState();
    const { spans } = map(
      eventsOf([
        ...begun,
        { event: "tool_start", at: 200, tool: "spawn_subagent", call_id: "c1" },
        { event: "tool_end", at: 300, tool: "spawn_subagent", call_id: "c1", result },
      ]),
      { state },
    );
    const { traceId, spanId } = spans[0] ?? {};
    expect(linked({ agent: "abcdefghijklmnopqrstuvwx" }, state)).toEqual([
      { traceId, spanId, attributes: { "cortex.link.kind": "task" } },
    ]);
    expect(linked({ agent: "another0another0another0" }, state, "1736380900001")).toEqual([]);
  });
});
