import { afterAll, beforeAll, expect, test } from "vitest";
import { keepReasoningFor } from "../../../conversation/reasoning.ts";
import { fromEvents } from "../../../conversation/from-events.ts";
import { ProviderError } from "../../../backends/provider/provider.ts";
import type { EventBody } from "../../../protocol/runs/event.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import { call, end, say, scripted, type Step, used } from "../../support/backends/scripted-provider.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";

let server: ToolServer;
beforeAll(async () => {
  server = await startToolServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const withTools = (config: Record<string, unknown> = {}) => ({ mcp_server_url: server.url, ...config });
const names = (run: TestRun) => run.events.map(({ event }) => event);
const last = (run: TestRun) => run.events.at(-1);

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

test("tool calls run one after the other, in order, and the model reads their results", async () => {
  const provider = scripted(
    [say("Two things."), call("a", "echo", { text: "one" }), call("b", "echo", '{"text":"two"}'), used(1, 1), end],
    [say("Done."), used(1, 1), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(names(run)).toEqual([
    "start",
    "usage",
    "text",
    "tool_start",
    "tool_end",
    "tool_start",
    "tool_end",
    "usage",
    "finish",
  ]);
  expect(run.named("tool_start", "tool_end")).toEqual([
    { event: "tool_start", tool: "echo", args: { text: "one" }, call_id: "a" },
    {
      event: "tool_end",
      tool: "echo",
      args: { text: "one" },
      call_id: "a",
      result: "one",
      is_error: false,
      duration_ms: 0,
    },
    { event: "tool_start", tool: "echo", args: { text: "two" }, call_id: "b" },
    {
      event: "tool_end",
      tool: "echo",
      args: { text: "two" },
      call_id: "b",
      result: "two",
      is_error: false,
      duration_ms: 0,
    },
  ]);
  expect(provider.calls[1]?.messages).toEqual([
    { role: "user", text: "hello" },
    {
      role: "assistant",
      text: "Two things.",
      calls: [
        { call_id: "a", tool: "echo", args: { text: "one" } },
        { call_id: "b", tool: "echo", args: { text: "two" } },
      ],
    },
    { role: "tool", call_id: "a", result: "one" },
    { role: "tool", call_id: "b", result: "two" },
  ]);
  expect(provider.calls[0]?.toolChoice).toBe("auto");
  expect(provider.calls[0]?.tools.find(({ name }) => name === "echo")).toMatchObject({
    description: "Says it again.",
    schema: { type: "object", properties: { text: { type: "string" } } },
  });
});

test.each([
  ["an unknown tool", call("a", "ehco"), /Tool not found: "ehco"\. The tools are: echo, /],
  ["a tool that throws", call("a", "fail"), /the disk is on fire/],
  ["arguments that don't fit", call("a", "echo", { text: 7 }), /echo.*expected string/s],
  [
    "arguments that aren't JSON",
    call("a", "echo", '{"text":"o'),
    /expected a JSON object of at most 48 levels, got "\{\\"text/,
  ],
  [
    "arguments that are no object",
    call("a", "echo", "[1]"),
    /expected a JSON object of at most 48 levels, got "\[1\]"/,
  ],
])("%s is an error that the model reads, and the run goes on", async (_, chunk, message) => {
  const provider = scripted([chunk, end], [say("I see."), end]);
  const run = testRun(withTools());
  await runScript(run, provider);
  const [ended] = run.named("tool_end");
  expect(ended).toMatchObject({ is_error: true, call_id: "a", result: expect.stringMatching(message) });
  expect(provider.calls[1]?.messages.at(-1)).toEqual({
    role: "tool",
    call_id: "a",
    result: ended?.["result"],
    is_error: true,
  });
  expect(last(run)).toMatchObject({ event: "finish", result: "I see." });
});

test("a call without an id, or with one that was used, gets one of its own", async () => {
  const provider = scripted(
    [call("", "echo", { text: "1" }), call("", "echo", { text: "2" }), end],
    [call("echo-1", "echo", { text: "3" }), call("old", "echo", { text: "4" }), end],
    [say("ok"), end],
  );
  const run = testRun(withTools({ history: [{ role: "assistant", calls: [{ call_id: "old", tool: "echo" }] }] }));
  await runScript(run, provider);
  expect(run.named("tool_end").map(({ call_id, result }) => [call_id, result])).toEqual([
    ["echo-1", "1"],
    ["echo-2", "2"],
    ["echo-3", "3"],
    ["echo-4", "4"],
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

test("a tool server that refuses the run ends it after its start, with the reason", async () => {
  await using closed = await startToolServer({ token: "secret" });
  const run = testRun({ mcp_server_url: closed.url, mcp_token: "wrong" });
  await runScript(run, scripted());
  expect(names(run)).toEqual(["start", "error"]);
  expect(last(run)).toMatchObject({ reason: "config", error: expect.stringContaining("refused the token (401)") });
});

test("a run has the tools that it was given and no others, and hears of those that aren't there", async () => {
  const provider = scripted([call("a", "fail"), end], [say("ok"), end]);
  const run = testRun(withTools({ tools: ["echo", "todo_add"] }));
  await runScript(run, provider);
  expect(provider.calls[0]?.tools.map(({ name }) => name)).toEqual(["echo"]);
  expect(run.named("info")).toEqual([{ event: "info", message: "the tool server doesn't offer: todo_add" }]);
  expect(run.named("tool_end")).toMatchObject([
    { is_error: true, result: 'Tool not found: "fail". The tools are: echo.' },
  ]);
});

test.each([{ disable_mcp: true }, { tools: [] }])("no tool server is asked for anything with %j", async (config) => {
  await using server = await startToolServer();
  const provider = scripted([say("ok"), end]);
  await runScript(testRun({ mcp_server_url: server.url, ...config }), provider);
  expect(provider.calls[0]?.tools).toEqual([]);
  expect(server.tokens).toEqual([]);
});

test("an input during a call comes behind the call's result", async () => {
  const provider = scripted([call("a", "echo", { text: "1" }), end], [say("ok"), end]);
  const run = testRun(
    withTools(),
    ({ event }) => void (event === "tool_start" && run.inbox.push({ text: "only May" })),
  );
  await runScript(run, provider);
  expect(provider.calls[1]?.messages.slice(-2)).toEqual([
    { role: "tool", call_id: "a", result: "1" },
    { role: "user", text: "only May" },
  ]);
  expect(names(run)).not.toContain("input");
});

test("an input that has an id is said to be taken by it, before the usage of the call that has heard it", async () => {
  const provider = scripted([call("a", "echo", { text: "1" }), end], [say("ok"), end]);
  const run = testRun(withTools(), ({ event }) => {
    if (event !== "tool_start") return;
    run.inbox.push({ text: "same", id: "i1" });
    run.inbox.push({ text: "same", id: "i2" });
  });
  await runScript(run, provider);
  const taken = { event: "input_taken" };
  expect(run.named("input_taken", "usage", "finish")).toMatchObject([
    { event: "usage" },
    { ...taken, id: "i1" },
    { ...taken, id: "i2" },
    { event: "usage", inputs: 2 },
    { event: "finish" },
  ]);
});

test("an input of a call that fails isn't said to be taken", async () => {
  const provider = scripted(
    [call("a", "echo", { text: "1" }), end],
    [() => Promise.reject(new ProviderError("no such model", { status: 404 }))],
  );
  const run = testRun(
    withTools(),
    ({ event }) => void (event === "tool_start" && run.inbox.push({ text: "only May", id: "i1" })),
  );
  await runScript(run, provider);
  expect(last(run)).toMatchObject({ event: "error" });
  expect(names(run)).not.toContain("input_taken");
});

test("inputs to a former attempt are said to be taken by the first call of the next one", async () => {
  const history = [
    { role: "user", text: "hello" },
    { role: "assistant", text: "Hm." },
    { role: "user", text: "only May" },
  ];
  const run = testRun({ attempt: 2, history, former_inputs: ["i1"] });
  await runScript(run, scripted([say("ok"), end]));
  expect(run.named("input_taken", "usage")).toMatchObject([{ event: "input_taken", id: "i1" }, { event: "usage" }]);
});

test("an input during the last answer gets an answer of its own", async () => {
  const run = testRun({});
  const provider = scripted([say("First."), () => run.inbox.push({ text: "and then?" }), end], [say("Second."), end]);
  await runScript(run, provider);
  expect(provider.calls[1]?.messages).toEqual([
    { role: "user", text: "hello" },
    { role: "assistant", text: "First." },
    { role: "user", text: "and then?" },
  ]);
  expect(run.named("text", "finish")).toMatchObject([{ text: "First." }, { result: "Second." }]);
});

test("pending calls at max_turns get a warning, and one last turn has no tools", async () => {
  const again = [call("", "echo", { text: "more" }), end];
  const provider = scripted(again, again, [call("", "echo", { text: "still" }), say("Enough."), end]);
  const run = testRun(withTools({ max_turns: 2 }));
  await runScript(run, provider);
  expect(provider.calls.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "auto", "none"]);
  expect(run.named("tool_end")).toMatchObject([
    { result: "more", is_error: false },
    { result: expect.stringContaining("the last of 2 model calls (max_turns)"), is_error: true },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Enough." });
});

test.each([1, 2])(
  "a model that is done at the last of %i turns hears of no limit, and isn't asked again",
  async (max_turns) => {
    const calls = Array.from({ length: max_turns - 1 }, () => [call("", "echo", { text: "more" }), end]);
    const provider = scripted(...calls, [say("Done."), end]);
    const run = testRun(withTools({ max_turns }));
    await runScript(run, provider);
    expect(provider.calls).toHaveLength(max_turns);
    expect(JSON.stringify([provider.calls, run.events])).not.toContain("max_turns");
    expect(run.named("tool_end").filter(({ is_error }) => is_error)).toEqual([]);
    expect(last(run)).toMatchObject({ event: "finish", result: "Done." });
  },
);

test("max_turns is 50 unless it is set", async () => {
  const turns = Array.from({ length: 50 }, () => [call("", "echo", { text: "x" }), end]);
  const provider = scripted(...turns, [say("Enough."), end]);
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(provider.calls).toHaveLength(51);
  expect(run.named("tool_end").filter(({ is_error }) => is_error)).toHaveLength(1);
});

test("a stream that dies half-way is asked again: nothing of it was said, and what it used is counted", async () => {
  const provider = scripted(
    [
      say("Half a tho"),
      call("a", "echo", { text: "1" }),
      used(5, 1, 0.1),
      new ProviderError("reset", { isBroken: true }),
    ],
    [say("Half a tho")],
    [say("A whole thought."), used(5, 4, 0.2), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(names(run)).toEqual(["start", "usage", "retry", "usage", "retry", "usage", "finish"]);
  expect(run.named("retry")).toMatchObject([
    { attempt: 1, delay_ms: 2000, reason: "reset" },
    { attempt: 2, delay_ms: 4000, reason: expect.stringContaining("broke off") },
  ]);
  expect(last(run)).toMatchObject({ result: "A whole thought." });
  expect(last(run)?.["usage"]).toMatchObject({ input_tokens: 10, output_tokens: 5, cost_usd: expect.closeTo(0.3) });
});

test("a run's own waits are those between the attempts of its model calls, and an outage is told as one after them", async () => {
  const away = () => [new ProviderError("away", { status: 503 })];
  const run = testRun({ retry_seconds: [1, 5] });
  await runScript(run, scripted(away(), away(), away()));
  expect(run.named("retry").map((retry) => [retry["delay_ms"], retry["status"]])).toEqual([
    [1000, 503],
    [5000, 503],
  ]);
  expect(last(run)).toMatchObject({ event: "error", reason: "provider", detail: "unavailable" });
});

test("a failure that no retry repairs ends the run at once", async () => {
  const run = testRun({});
  await runScript(run, scripted([new ProviderError("the key was refused", { status: 401, reason: "config" })]));
  expect(run.events.slice(1)).toEqual([{ event: "error", error: "the key was refused", reason: "config" }]);
});

test("a defect is told as one, with its trace", async () => {
  const run = testRun({});
  await runScript(run, scripted([new TypeError("x is not a function")]));
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "internal",
    error: expect.stringContaining("x is not a function"),
    trace: expect.stringContaining("TypeError"),
  });
});

test.each([
  ["nothing at all", [end], /answered with nothing/, "empty"],
  ["only blanks", [say(" \n"), end], /answered with nothing/, "empty"],
  [
    "a refusal",
    [say("I'd rather "), { type: "end", stop: "refusal", detail: "policy" }],
    /refused to answer: policy/,
    "refused",
  ],
  [
    "a cut answer that isn't to be gone on with",
    [say("It all began"), { type: "end", stop: "max_tokens" }],
    /cut off at max_tokens = 5: raise max_tokens/,
    "cut_off",
  ],
] as const)("%s is not a success", async (_, steps, message, detail) => {
  const run = testRun({ max_tokens: 5, continue_cut_answers: false });
  await runScript(run, scripted([...steps]));
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "provider",
    detail,
    error: expect.stringMatching(message),
  });
});

const cutHere: Step = { type: "end", stop: "max_tokens" };

test("a cut answer is kept as text, since it was paid for", async () => {
  const run = testRun({ continue_cut_answers: false });
  await runScript(run, scripted([say("It all began"), cutHere]));
  expect(run.named("text")).toEqual([{ event: "text", text: "It all began", partial: true }]);
  expect(fromEvents(run.events).at(-1)).toEqual({ role: "assistant", text: "It all began" });
});

test("an answer that is cut off goes on once by itself, says so, and is one answer", async () => {
  const provider = scripted([say("It all be"), cutHere], [say("gan in May."), end]);
  const run = testRun({});
  await runScript(run, provider);
  expect(names(run)).toEqual(["start", "usage", "text", "cut_off", "usage", "finish"]);
  expect(run.named("usage").map((usage) => usage["finish_reason"])).toEqual(["length", "stop"]);
  expect(provider.calls[1]?.messages.slice(1)).toEqual([
    { role: "assistant", text: "It all be" },
    { role: "user", text: expect.stringContaining("Go on exactly where it ended") },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "It all began in May." });
  expect(fromEvents(run.events)).toEqual([
    { role: "user", text: "hello" },
    { role: "assistant", text: "It all began in May." },
  ]);
});

test("an answer that goes on with a call has its whole text before it, and the next call is sent what a later run rebuilds", async () => {
  const provider = scripted(
    [say("I will lo"), cutHere],
    [say("ok it up."), call("a", "echo", { text: "1" }), end],
    [say("Done."), end],
  );
  const run = testRun(withTools());
  await runScript(run, provider);
  expect(run.named("text").map(({ text, partial }) => [text, partial])).toEqual([
    ["I will lo", true],
    ["I will look it up.", undefined],
  ]);
  expect(provider.calls[2]?.messages).toEqual(fromEvents(run.events).slice(0, -1));
  expect(provider.calls[2]?.messages[1]).toMatchObject({ text: "I will look it up." });
});

test("an answer that is cut off twice ends the run, and all that was said of it is kept", async () => {
  const run = testRun({});
  await runScript(run, scripted([say("It all be"), cutHere], [say("gan in Ma"), cutHere]));
  expect(last(run)).toMatchObject({ event: "error", reason: "provider", detail: "cut_off" });
  expect(run.named("text").map(({ text }) => text)).toEqual(["It all be", "gan in Ma"]);
});

test("an answer that is cut off before it said anything isn't gone on with", async () => {
  const provider = scripted([{ type: "thinking", summary: "hm" }, cutHere]);
  const run = testRun({});
  await runScript(run, provider);
  expect(last(run)).toMatchObject({ event: "error", detail: "cut_off" });
});

test.each([
  ["stop", [say("ok"), end]],
  ["tool_calls", [call("a", "echo", { text: "1" }), end]],
  ["refusal", [say("No."), { type: "end", stop: "refusal" }]],
  ["length", [say("It all"), cutHere]],
] as const)("a model call says that it ended with %s", async (reason, steps) => {
  const run = testRun(withTools({ continue_cut_answers: false }));
  await runScript(run, scripted([...steps], [say("ok"), end]));
  expect(run.named("usage")[0]).toMatchObject({ finish_reason: reason });
});

test("a model call that is cancelled says so, also where its provider told of no use", async () => {
  const run = testRun({ stream: true }, ({ event }) => void (event === "text_delta" && run.cancel()));
  await runScript(run, scripted([say("I was say"), () => new Promise(() => {})]));
  expect(run.events.slice(2)).toEqual([
    { event: "usage", model: "script-1", cost_usd: null, finish_reason: "cancelled" },
    { event: "text", text: "I was say", partial: true },
    { event: "error", error: "cancelled", reason: "cancelled" },
  ]);
});

test("what a model says for longer than 5 s is kept in pieces, also while nothing more comes, and the whole takes their place", async () => {
  const run = testRun({});
  const pass = (ms: number) => () => run.clock.pass(ms);
  const steps = [
    say("One, "),
    pass(4_999),
    say("two, "),
    pass(1),
    say("three"),
    pass(5_000),
    pass(5_000),
    say("."),
    end,
  ];
  await runScript(run, scripted(steps));
  expect(run.named("text")).toEqual([
    { event: "text", text: "One, two, ", partial: true },
    { event: "text", text: "three", partial: true },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "One, two, three." });
  expect(fromEvents(run.events)).toEqual([
    { role: "user", text: "hello" },
    { role: "assistant", text: "One, two, three." },
  ]);
  expect(fromEvents(run.events.slice(0, -1)).at(-1)).toEqual({ role: "assistant", text: "One, two, three" });
});

test("pieces of a stream that dies are void, and what the last try said is kept", async () => {
  const run = testRun({ retry_seconds: [1] });
  const died = () => new ProviderError("reset", { isBroken: true });
  await runScript(
    run,
    scripted([say("First"), () => run.clock.pass(5_000), say(" try"), died()], [say("Second try"), died()]),
  );
  expect(run.named("text", "retry").map(({ event, text }) => text ?? event)).toEqual(["First", "retry", "Second try"]);
  expect(fromEvents(run.events).at(-1)).toEqual({ role: "assistant", text: "Second try" });
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

const lost: { name: string; history: unknown[]; heard: string | undefined }[] = [
  {
    name: "in a call",
    history: [
      { role: "user", text: "hello" },
      { role: "assistant", calls: [{ call_id: "a", tool: "echo" }] },
    ],
    heard: undefined,
  },
  {
    name: "after it spoke",
    history: [
      { role: "user", text: "hello" },
      { role: "assistant", text: "Let me see." },
    ],
    heard:
      "(The run was interrupted here. Go on from where you were; give an answer that broke off again, as a whole.)",
  },
  { name: "at its beginning", history: [{ role: "user", text: "of a run before" }], heard: "hello" },
];
test.each(lost)("a later attempt of a run that was lost $name asks nothing twice", async ({ history, heard }) => {
  const provider = scripted([say("ok"), end]);
  await runScript(testRun({ attempt: 2, history }), provider);
  const messages = provider.calls[0]?.messages ?? [];
  const lastMessage = messages.at(-1);
  if (heard === undefined) expect(lastMessage).toMatchObject({ role: "tool", call_id: "a" });
  else expect(lastMessage).toEqual({ role: "user", text: heard });
  expect(messages.filter(({ text }) => text === "hello")).toHaveLength(1);
});

test("a prompt that is longer than a line may be is cut in the start event, and whole for the model", async () => {
  const prompt = "x".repeat(2 * 1024 * 1024);
  const provider = scripted([say("ok"), end]);
  const run = testRun({ prompt });
  await runScript(run, provider);
  expect(run.events[0]).toMatchObject({ event: "start", truncated: true } satisfies Partial<EventBody>);
  expect(provider.calls[0]?.messages.at(-1)?.text).toHaveLength(prompt.length);
});
