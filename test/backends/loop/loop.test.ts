/** The loop that all model backends share: what its model is told, and what a run says from its start to its end. */
import { expect, test } from "vitest";
import { keepReasoningFor } from "../../../conversation/reasoning.ts";
import { fromEvents } from "../../../conversation/from-events.ts";
import { ProviderError } from "../../../backends/provider/provider.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { last, names, useToolServer } from "../../support/backends/run-with-tools.ts";
import { call, end, say, scripted, used } from "../../support/backends/scripted-provider.ts";
import { startToolServer } from "../../support/tool-server.ts";

const withTools = useToolServer();

test("a plain answer: start, usage, finish", async () => {
  const run = testRun({ persona: "default", model: "script-2" });
  await runScript(run, scripted([say("Hel"), say("lo."), used(10, 2, 0.5), end]));
  expect(run.events).toEqual([
    { event: "start", persona: "default", backend: "scripted", model: "script-2", prompt: "hello" },
    {
      event: "usage",
      model: "script-2",
      input_tokens: 10,
      cached_input_tokens: 0,
      output_tokens: 2,
      reasoning_tokens: 0,
      cost_usd: 0.5,
      finish_reason: "stop",
      context_tokens: 12,
    },
    {
      event: "finish",
      result: "Hello.",
      usage: {
        model: "script-2",
        input_tokens: 10,
        cached_input_tokens: 0,
        output_tokens: 2,
        reasoning_tokens: 0,
        total_tokens: 12,
        cost_usd: 0.5,
      },
    },
  ]);
});

test("the model is told what the run was told", async () => {
  const provider = scripted([say("ok"), end]);
  const config = {
    instruction: "Be brief.",
    extra_context: "It is Monday.",
    max_tokens: 9,
    temperature: 0.5,
    thinking_budget: 7,
  };
  await runScript(testRun({ ...config, history: [{ role: "user", text: "before" }] }), provider);
  expect(provider.calls).toEqual([
    {
      model: "script-1",
      instruction: "Be brief.",
      context: "It is Monday.",
      max_tokens: 9,
      temperature: 0.5,
      thinking_budget: 7,
      messages: [
        { role: "user", text: "before" },
        { role: "user", text: "hello" },
      ],
      tools: [],
      toolChoice: "none",
    },
  ]);
});

test("reasoning is an event each, and goes back to its model with the calls that it led to", async () => {
  const provider = scripted(
    [
      { type: "thinking", summary: "first a", opaque: { sig: "s1" } },
      call("a", "echo", { text: "1" }),
      { type: "thinking", opaque: { sig: "s2" } },
      call("b", "echo", { text: "2" }),
      end,
    ],
    [{ type: "thinking", opaque: { sig: "s3" } }, say("ok"), end],
  );
  const foreign = { provider: "other", model: "script-1", opaque: "theirs" };
  const run = testRun(withTools({ history: [{ role: "assistant", text: "before", reasoning: [foreign] }] }));
  await runScript(run, provider);
  const reasoning = (sig: string, rest = {}) => [{ provider: "scripted", model: "script-1", opaque: { sig }, ...rest }];
  expect(provider.calls[1]?.messages).toEqual([
    { role: "assistant", text: "before" },
    { role: "user", text: "hello" },
    expect.objectContaining({
      reasoning: reasoning("s1", { summary: "first a" }),
      calls: [expect.objectContaining({ call_id: "a" })],
    }),
    expect.objectContaining({ call_id: "a", result: "1" }),
    expect.objectContaining({ reasoning: reasoning("s2"), calls: [expect.objectContaining({ call_id: "b" })] }),
    expect.objectContaining({ call_id: "b", result: "2" }),
  ]);
  expect(run.named("thinking")).toEqual([
    { event: "thinking", summary: "first a", model: "script-1", opaque: { sig: "s1" } },
    { event: "thinking", summary: undefined, model: "script-1", opaque: { sig: "s2" } },
    { event: "thinking", summary: undefined, model: "script-1", opaque: { sig: "s3" } },
  ]);
});

test("a later run rebuilds from the events exactly what the model was sent", async () => {
  const provider = scripted(
    [
      { type: "thinking", opaque: 1 },
      say("Look."),
      call("a", "echo", { text: "1" }),
      call("b", "nope"),
      used(1, 1),
      end,
    ],
    [call("a", "echo", '{"broken'), used(1, 1), end],
    [say("Answer."), used(1, 1), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  const rebuilt = fromEvents(run.events);
  expect(rebuilt.at(-1)).toEqual({ role: "assistant", text: "Answer." });
  expect(keepReasoningFor(rebuilt.slice(0, -1), "scripted", "script-1")).toEqual(provider.calls[2]?.messages);
});

test("cancelled during a call: the rest get Cancelled results, then the run ends as cancelled", async () => {
  const provider = scripted([call("a", "wait"), call("b", "echo", { text: "never" }), end]);
  // Only within a session does the server know which call a cancellation is about.
  await using server = await startToolServer({ hasSessions: true });
  const run = testRun({ mcp_server_url: server.url });
  const over = runScript(run, provider);
  expect(await server.waits.next()).toMatchObject({ value: "started" });
  run.cancel();
  await over;
  expect(run.named("tool_start", "tool_end", "error")).toEqual([
    expect.objectContaining({ event: "tool_start", call_id: "a" }),
    expect.objectContaining({ event: "tool_end", call_id: "a", result: "Cancelled", is_error: true }),
    expect.objectContaining({ event: "tool_start", call_id: "b" }),
    expect.objectContaining({ event: "tool_end", call_id: "b", result: "Cancelled", is_error: true }),
    { event: "error", error: "cancelled", reason: "cancelled" },
  ]);
  // The server is told, so that its tool stops as well.
  expect(await server.waits.next()).toMatchObject({ value: "cancelled" });
});

test("cancelled while the model speaks: even a provider that doesn't heed it can't hold the run", async () => {
  const stuck = Promise.withResolvers<void>();
  const run = testRun({}, ({ event }) => void (event === "text_delta" && run.cancel()));
  run.config.stream = true;
  await runScript(run, scripted([say("I was say"), () => stuck.promise]));
  expect(run.events.at(-1)).toEqual({ event: "error", error: "cancelled", reason: "cancelled" });
  stuck.resolve();
});

test("cancelled during the wait before a retry, it isn't tried again", async () => {
  const provider = scripted([new ProviderError("busy", { status: 529 })]);
  const run = testRun({}, ({ event }) => void (event === "retry" && run.cancel()));
  await runScript(run, provider);
  expect(last(run)).toEqual({ event: "error", error: "cancelled", reason: "cancelled" });
  expect(provider.calls).toHaveLength(1);
});

test("a refusal calls nothing", async () => {
  const run = testRun(withTools());
  await runScript(run, scripted([call("a", "echo", { text: "1" }), { type: "end", stop: "refusal" }]));
  expect(names(run)).toEqual(["start", "usage", "error"]);
});

test("a model that has said it all before its last call needs to say no more", async () => {
  const run = testRun(withTools());
  await runScript(run, scripted([say("It's noted."), call("a", "echo", { text: "1" }), end], [end]));
  expect(last(run)).toMatchObject({ event: "finish", result: "It's noted." });
});

test("a model that pauses is called again", async () => {
  const provider = scripted([say("One moment."), { type: "end", stop: "pause" }], [say("Here."), end]);
  const run = testRun({});
  await runScript(run, provider);
  expect(provider.calls[1]?.messages.at(-1)).toEqual({ role: "assistant", text: "One moment." });
  expect(last(run)).toMatchObject({ event: "finish", result: "Here." });
});

test("deltas go out only where they were asked for", async () => {
  for (const stream of [true, false]) {
    const run = testRun({ stream });
    await runScript(run, scripted([say("Hel"), say("lo."), end]));
    expect(run.named("text_delta").map(({ text }) => text)).toEqual(stream ? ["Hel", "lo."] : []);
  }
});

test("a pulse at most every 5 s, and only when data came", async () => {
  const run = testRun({});
  const later = (ms: number) => () => void (run.clock.time += ms);
  const steps = [
    say("a"),
    later(4_999),
    say("b"),
    later(1),
    { type: "progress" as const },
    later(4_999),
    say("c"),
    later(60_000),
    say("d"),
    end,
  ];
  await runScript(run, scripted(steps));
  expect(run.named("pulse")).toHaveLength(2);
});

test("the cost is unknown when that of one call is", async () => {
  const provider = scripted(
    [call("", "echo", { text: "1" }), used(1, 2, 0.5), end],
    [say("ok"), used(3, 4, null), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(last(run)?.["usage"]).toMatchObject({ input_tokens: 4, output_tokens: 6, total_tokens: 10, cost_usd: null });
});

test("a provider that says nothing of its use has unknown costs, and a usage event all the same", async () => {
  const run = testRun({});
  await runScript(run, scripted([say("ok"), end]));
  expect(run.named("usage")).toEqual([{ event: "usage", model: "script-1", cost_usd: null, finish_reason: "stop" }]);
});

test("a prompt that is longer than a line may be is cut in the start event, and whole for the model", async () => {
  const prompt = "x".repeat(2 * 1024 * 1024);
  const provider = scripted([say("ok"), end]);
  const run = testRun({ prompt });
  await runScript(run, provider);
  expect(run.events[0]).toMatchObject({ event: "start", truncated: true } satisfies Partial<EventBody>);
  expect(provider.calls[0]?.messages.at(-1)?.text).toHaveLength(prompt.length);
});
