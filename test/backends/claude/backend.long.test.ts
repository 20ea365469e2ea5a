import { afterAll, expect, test } from "vitest";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { ClaudeHome, testKey, turn } from "../../support/backends/claude-run.ts";
import { playedUsage } from "../../support/providers/played.ts";

const home = new ClaudeHome();
afterAll(() => home[Symbol.asyncDispose]());

const names = (events: EventBody[]) => events.map(({ event }) => event).filter((name) => name !== "pulse");
const last = (events: EventBody[]) => events.at(-1);
const refused = {
  status: 401,
  body: { type: "error", error: { type: "authentication_error", message: `no: ${testKey}` } },
};
const read = (file_path: string) => ({ tool: "Read", args: { file_path } });
const usage = {
  input_tokens: playedUsage.input,
  cached_input_tokens: playedUsage.cached,
  cache_write_input_tokens: playedUsage.cacheWrite,
  output_tokens: playedUsage.output,
  reasoning_tokens: playedUsage.reasoning,
};
/** By the list: 3 and 15 dollars a million tokens, 0.30 for a cached one, 3.75 for a written one. */
const callUsd = (72 * 3 + 20 * 0.3 + 8 * 3.75 + 30 * 15) / 1e6;

test("an answer with reasoning and a tool call is told in our events, with what each call used", async () => {
  const { events, refusals, requests } = await home.run({ instruction: "You garden.", extra_context: "Now: May." }, [
    turn({ thinking: "A file, then.", text: "Let me look.", calls: [{ tool: "Glob", args: { pattern: "*.no" } }] }),
    turn({ text: "Nothing grows." }),
  ]);
  expect(refusals).toEqual([]);
  expect(names(events)).toEqual([
    "start",
    "usage",
    "thinking",
    "text",
    "tool_start",
    "tool_end",
    "usage",
    "thinking",
    "finish",
  ]);
  const [start, used, thinking, text, toolStart, toolEnd] = events.filter(({ event }) => event !== "pulse");
  expect(start).toMatchObject({ backend: "claude", persona: "default", model: "claude-sonnet-4-5", prompt: "hello" });
  expect(used).toMatchObject({ ...usage, model: "claude-sonnet-4-5", cost_usd: expect.closeTo(callUsd, 9) });
  expect(thinking).toEqual({ event: "thinking", summary: "A file, then.", model: "claude-sonnet-4-5" });
  expect(text).toEqual({ event: "text", text: "Let me look." });
  const call = { tool: "Glob", args: { pattern: "*.no" }, call_id: "toolu_1_0" };
  expect(toolStart).toEqual({ event: "tool_start", ...call });
  expect(toolEnd).toEqual({
    event: "tool_end",
    ...call,
    result: "No files found",
    is_error: false,
    duration_ms: expect.any(Number),
  });
  expect(last(events)).toMatchObject({
    result: "Nothing grows.",
    session_id: start?.["session_id"],
    usage: {
      model: "claude-sonnet-4-5",
      input_tokens: 200,
      cached_input_tokens: 40,
      cache_write_input_tokens: 16,
      output_tokens: 60,
      reasoning_tokens: 10,
      total_tokens: 260,
      cost_usd: expect.closeTo(2 * callUsd, 9),
    },
  });
  const { body } = requests[0] ?? {};
  expect(JSON.stringify(body)).toMatch(/"You garden\.\\n\\n.*Now: May\."/);
});

test("text comes in pieces where the run streams, and as a whole all the same", async () => {
  const text = "Ein Gärtner, der gärtnert 🌱.";
  const { events, requests } = await home.run({ stream: true, thinking_budget: 0 }, [turn({ text })]);
  const pieces = events.filter(({ event }) => event === "text_delta").map((event) => event["text"]);
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join("")).toBe(text);
  expect(last(events)).toMatchObject({ event: "finish", result: text });
  expect(requests[0]?.body).not.toMatchObject({ thinking: { type: "enabled" } });
});

test("a run without a facet says so, and starts nothing", async () => {
  const { events, requests } = await home.run({ facet: undefined }, []);
  expect(last(events)).toEqual({
    event: "error",
    error: "the claude backend works in a facet's folder: give one with --facet",
    reason: "config",
  });
  expect(requests).toEqual([]);
});

test("a run in another folder than the facet's is refused", async () => {
  const { events } = await home.run({ facet: "kitchen" }, []);
  expect(last(events)).toMatchObject({ reason: "config", error: expect.stringContaining('facet "kitchen", not in ') });
});

test("the request's settings reach the model: the model, the limits of tokens and of thinking", async () => {
  const config = { model: "claude-opus-4-5", max_tokens: 5_000, thinking_budget: 2_000 };
  const { requests } = await home.run(config, [turn({ text: "ok" })]);
  expect(requests[0]?.body).toMatchObject({
    model: "claude-opus-4-5",
    max_tokens: 5_000,
    stream: true,
    thinking: { type: "enabled", budget_tokens: 2_000 },
  });
});

test("a model without a price has no cost, though Claude Code guesses one", async () => {
  const { events } = await home.run({ model: "some-model" }, [turn({ text: "ok" })]);
  expect(last(events)).toMatchObject({ event: "finish", usage: { ...usage, cost_usd: null } });
});

test("a refused key ends the run at once, and isn't repeated", async () => {
  const { events, requests } = await home.run({}, [refused]);
  expect(last(events)).toEqual({
    event: "error",
    error: "claude refused the key (401): check ANTHROPIC_API_KEY.",
    reason: "config",
  });
  expect(requests).toHaveLength(1);
});

test("a run without a key and without a login says what to do", async () => {
  const { events, requests } = await home.run({}, [], undefined, { ANTHROPIC_API_KEY: undefined });
  expect(last(events)).toMatchObject({
    reason: "config",
    error: expect.stringMatching(/^claude has no login that is accepted: set ANTHROPIC_API_KEY .* log in\. It says: /),
  });
  expect(requests).toEqual([]);
});

test("a stream that breaks off inside a call leaves none, and the answer goes on behind what was whole", async () => {
  const broken = {
    ...turn({ text: "Roses and", calls: [read("a.md")] }),
    cut: "inside-call" as const,
    by: "end" as const,
  };
  const { events, refusals } = await home.run({}, [broken, turn({ text: " tulips." })]);
  expect(refusals).toEqual([]);
  expect(names(events).filter((name) => name === "text" || name.startsWith("tool"))).toEqual([]);
  expect(last(events)).toMatchObject({ event: "finish", result: "Roses and tulips." });
});

test("busy servers and a stream that breaks off are tried again, with an event each and nothing said twice", async () => {
  const { events } = await home.run({}, [
    {
      status: 429,
      headers: { "retry-after": "0" },
      body: { type: "error", error: { type: "rate_limit_error", message: "slow" } },
    },
    {
      status: 529,
      headers: { "retry-after": "0" },
      body: { type: "error", error: { type: "overloaded_error", message: "busy" } },
    },
    { ...turn({ text: "Half of it is" }), cut: "between-events", by: "reset" },
    turn({ text: "All of it." }),
  ]);
  expect(events.filter(({ event }) => event === "retry")).toMatchObject([
    { attempt: 1, reason: "429 rate_limit", delay_ms: expect.any(Number), status: 429 },
    { attempt: 2, reason: "529 overloaded", status: 529 },
    { attempt: expect.any(Number) },
  ]);
  expect(names(events).filter((name) => name === "text" || name.startsWith("tool"))).toEqual([]);
  expect(last(events)).toMatchObject({ event: "finish", result: "All of it." });
});

test("an outage that outlasts the waits of the request is told as one", async () => {
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "busy" } };
  const away = { status: 529, headers: { "retry-after": "0" }, body: overloaded };
  const { events } = await home.run({ retry_seconds: [1] }, [away, away]);
  expect(events.filter(({ event }) => event === "retry")).toHaveLength(1);
  expect(last(events)).toMatchObject({ event: "error", reason: "provider", detail: "unavailable" });
});

test.each([
  {
    what: "a conversation that is too long",
    reason: "provider",
    reply: {
      status: 400,
      body: {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 250000 tokens > 200000 maximum" },
      },
    },
    error: /^the conversation is longer than the model takes \(400\): begin a new run, .* claude says: /,
  },
  {
    what: "an unknown model",
    reason: "config",
    reply: { status: 404, body: { type: "error", error: { type: "not_found_error", message: "model: claude-x" } } },
    error: /^claude failed \(404\): .*selected model/,
  },
  {
    what: "a refusal",
    reason: "provider",
    reply: turn({ text: "I", stop: "refusal" }),
    error: /^claude refused to answer: /,
  },
  {
    what: "the token limit",
    reason: "provider",
    reply: turn({ text: "and so on", stop: "max_tokens" }),
    error: "the answer of claude was cut off at max_tokens = 1000: raise max_tokens, or ask for less",
  },
  {
    what: "an empty answer",
    reason: "provider",
    reply: turn({}),
    error: "claude (claude-sonnet-4-5) answered with nothing",
  },
  {
    what: "HTML from a proxy",
    reason: "config",
    reply: { status: 403, body: "<html>blocked</html>" },
    error: /^claude refused the key \(403\): check ANTHROPIC_API_KEY\. It says: .*403/,
  },
])("$what is an error that says so", async ({ reply, reason, error }) => {
  const { events } = await home.run(
    { max_tokens: 1000 },
    Array.from({ length: 6 }, () => reply),
  );
  const ended = last(events);
  expect(ended).toMatchObject({ event: "error", reason });
  if (typeof error === "string") expect(ended?.["error"]).toBe(error);
  else expect(ended?.["error"]).toMatch(error);
});

test("max_turns ends it", async () => {
  const replies = Array.from({ length: 3 }, () => turn({ calls: [{ tool: "Glob", args: { pattern: "*.md" } }] }));
  const { events, requests } = await home.run({ max_turns: 2 }, replies);
  expect(last(events)).toMatchObject({
    error: "claude wasn't done after max_turns = 2 turns: raise max_turns, or ask for less",
    reason: "provider",
  });
  expect(requests).toHaveLength(2);
});

test("max_cost_usd ends it", async () => {
  const replies = Array.from({ length: 3 }, () => turn({ calls: [{ tool: "Glob", args: { pattern: "*.md" } }] }));
  const { events, requests } = await home.run({ max_cost_usd: 0.0001 }, replies);
  expect(last(events)).toMatchObject({
    reason: "budget",
    error: expect.stringMatching(/limit max_cost_usd is 0\.0001$/),
  });
  expect(requests).toHaveLength(1);
});

test("an input while a tool runs reaches the model with the tool's result", async () => {
  const calls = [{ tool: "Glob", args: { pattern: "*.md" } }];
  const heard = Promise.withResolvers<void>();
  const { events, requests } = await home.run(
    {},
    [
      turn({ calls }),
      { ...turn({ calls }), after: heard.promise },
      turn({ text: "Tulips." }),
      turn({ text: "Tulips!" }),
    ],
    (event, run) => {
      if (event.event !== "tool_end" || !run.inbox.isEmpty) return;
      run.inbox.push({ text: "tulips instead" });
      heard.resolve();
    },
  );
  const said = requests.findIndex(({ body }) => JSON.stringify(body).includes("tulips instead"));
  expect(said).toBeGreaterThan(0);
  expect(last(events)).toMatchObject({ event: "finish", result: expect.stringMatching(/^Tulips/) });
});

test("an input while the answer comes is answered before the run finishes", async () => {
  const { events, requests } = await home.run(
    { stream: true },
    [turn({ text: "Roses." }), turn({ text: "Tulips." })],
    (event, run) => {
      if (event.event !== "text_delta" || event["text"] !== "Roses.") return;
      run.inbox.push({ text: "tulips instead", id: "i1" });
    },
  );
  expect(requests).toHaveLength(2);
  expect(names(events).filter((name) => name !== "text_delta")).toEqual([
    "start",
    "usage",
    "usage",
    "text",
    "input_taken",
    "thinking",
    "finish",
  ]);
  expect(events.find(({ event }) => event === "input_taken")).toMatchObject({ id: "i1" });
  expect(events.find(({ event }) => event === "text")).toMatchObject({ text: "Roses." });
  expect(last(events)).toMatchObject({ result: "Tulips." });
});

test("a silent server doesn't hold a run that is cancelled", async () => {
  const { events } = await home.run({}, [turn({ calls: [read("a.md")] }), { silent: true }], (event, run) => {
    if (event.event === "tool_end") run.cancel();
  });
  expect(last(events)).toEqual({ event: "error", error: "cancelled", reason: "cancelled" });
});
