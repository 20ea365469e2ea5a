import { afterAll, expect, test } from "vitest";
import { openai } from "../../../backends/openai/provider.ts";
import { fromChain } from "../../../conversation/from-events.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import type { EventServer } from "../../support/providers/event-server.ts";
import type { Dialect } from "../../support/providers/openai-chat.ts";
import { openaiError } from "../../support/providers/openai-errors.ts";
import { playDialect } from "../../support/providers/openai.ts";
import { playedUsage, type Reply } from "../../support/providers/played.ts";
import { startToolServer } from "../../support/tool-server.ts";

const tools = await startToolServer();
afterAll(() => tools[Symbol.asyncDispose]());

type Ran = { run: TestRun; server: EventServer };

/** A run on a server of one's own, which needs no key. */
async function ran(replies: Reply[], config: Record<string, unknown> = {}, dialect: Dialect = {}): Promise<Ran> {
  await using server = await playDialect(dialect)(replies);
  const environment = { OPENAI_BASE_URL: server.url };
  const run = { ...testRun({ model: "local", ...config }), environment };
  await runScript(run, openai(run.config, environment));
  return { run, server };
}

const withTools = { mcp_server_url: tools.url };
const bodies = (server: EventServer) => server.requests.map(({ body }) => body as Record<string, unknown>);
const messagesOf = (server: EventServer, number: number) =>
  bodies(server)[number]?.["messages"] as Record<string, unknown>[];
const last = (run: TestRun) => run.events.at(-1);

test("a foreign address is asked for chat completions, without a key where there is none", async () => {
  const { run, server } = await ran([{ turn: { text: "Grüße 🌻" } }], {
    instruction: "Be brief.",
    extra_context: "It is Monday.",
    max_tokens: 9,
    temperature: 0.5,
    thinking_budget: 20_000,
  });
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.path).toBe("/v1/chat/completions");
  expect(server.requests[0]?.headers).not.toHaveProperty("authorization");
  expect(bodies(server)).toEqual([
    {
      model: "local",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      temperature: 0.5,
      reasoning_effort: "high",
      messages: [
        { role: "system", content: "Be brief.\n\nIt is Monday." },
        { role: "user", content: "hello" },
      ],
    },
  ]);
  expect(run.named("usage")).toEqual([
    {
      event: "usage",
      model: "local",
      input_tokens: playedUsage.input,
      cached_input_tokens: playedUsage.cached,
      output_tokens: playedUsage.output,
      reasoning_tokens: playedUsage.reasoning,
      cost_usd: null,
      finish_reason: "stop",
      context_tokens: playedUsage.input + playedUsage.output,
    },
  ]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Grüße 🌻" });
});

test.each([1, 3, 7])("a stream in pieces of %i bytes is read as it was written", async (pieceBytes) => {
  const text = "Grüße — 日本 🌻, and a line\nmore";
  const turn = { thinking: "Wörter 🌻", text, calls: [{ tool: "echo", args: { text: "ü🌻" } }] };
  const { run } = await ran([{ turn, pieceBytes }, { turn: { text: "done" } }], { ...withTools, stream: true });
  expect(run.named("text")).toEqual([{ event: "text", text }]);
  expect(
    run
      .named("text_delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe(`${text}done`);
  expect(run.named("tool_end")).toMatchObject([{ result: "ü🌻", is_error: false }]);
  expect(run.named("thinking")).toMatchObject([{ summary: "Wörter 🌻" }]);
});

const rounds: Reply[] = [
  { turn: { thinking: "first", text: "I look.", calls: [{ tool: "echo", args: { text: "1" } }] } },
  { turn: { thinking: "second", calls: [{ tool: "echo", args: { text: "2" } }] } },
  { turn: { thinking: "third", text: "Done." } },
];

test.each([
  ["reasoning_content", { reasoning_content: "first" }],
  ["reasoning", { reasoning: "first" }],
  ["think", { think: "<think>\nfirst\n</think>" }],
] as const)(
  "reasoning in the form of %s comes as thinking, and goes back so while its turn lasts",
  async (reasoning, opaque) => {
    const { run, server } = await ran(rounds, withTools, { reasoning });
    // The server has refused nothing: each call had what it was thought of with.
    expect(server.refusals).toEqual([]);
    expect(run.named("thinking").map(({ summary }) => String(summary).trim())).toEqual(["first", "second", "third"]);
    expect(run.named("thinking")[0]).toMatchObject({ opaque });
    expect(run.named("text")).toEqual([{ event: "text", text: "I look." }]);
    expect(last(run)).toMatchObject({ event: "finish", result: "Done." });

    const history = fromChain([[{ event: "request", prompt: "hello", backend: "openai" }, ...run.events]]);
    const later = await ran([{ turn: { text: "again" } }], { ...withTools, history }, { reasoning });
    expect(later.server.refusals).toEqual([]);
    expect(JSON.stringify(bodies(later.server))).not.toContain("first");
  },
);

test.each([
  ["an answer that only talks of the tag", { text: "<think> is a tag" }, "<think> is a tag"],
  ["thoughts about nothing", { text: "<think>\n\n</think>\n\nHello." }, "Hello."],
  ["a tag in the middle", { text: "Write <think>x</think>." }, "Write <think>x</think>."],
  ["something that begins like the tag", { text: "<thin" }, "<thin"],
])("%s is an answer", async (_, turn, result) => {
  const { run } = await ran([{ turn }]);
  expect(run.named("thinking")).toEqual([]);
  expect(last(run)).toMatchObject({ event: "finish", result });
});

test.each([undefined, "no-ids", "all-zero", "objects"] as const)(
  "three calls in one turn, the server's way being %s",
  async (calls) => {
    const turn = { calls: ["1", "2", "3"].map((text) => ({ tool: "echo", args: { text } })) };
    const { run, server } = await ran([{ turn }, { turn: { text: "ok" } }], withTools, calls ? { calls } : {});
    expect(server.refusals).toEqual([]);
    expect(run.named("tool_end").map(({ result }) => result)).toEqual(["1", "2", "3"]);
    const results = messagesOf(server, 1).filter(({ role }) => role === "tool");
    expect(results.map(({ content }) => content)).toEqual(["1", "2", "3"]);
    expect(new Set(results.map(({ tool_call_id }) => tool_call_id)).size).toBe(3);
  },
);

test.each([
  ["arguments that aren't JSON", "echo", '{"text":"o', /expected a JSON object/],
  ["an unknown tool", "ehco", {}, /Tool not found/],
])("%s: an error that the model reads", async (_, tool, args, message) => {
  const { run, server } = await ran([{ turn: { calls: [{ tool, args }] } }, { turn: { text: "I see." } }], withTools);
  expect(server.refusals).toEqual([]);
  expect(run.named("tool_end")).toMatchObject([{ is_error: true }]);
  expect(messagesOf(server, 1).at(-1)).toMatchObject({ role: "tool", content: expect.stringMatching(message) });
  expect(last(run)).toMatchObject({ event: "finish", result: "I see." });
});

test("a server that says nothing of tokens, and not why it stops, has answered all the same", async () => {
  const { run } = await ran([{ turn: { text: "Hello." } }], {}, { hasNoUsage: true, hasNoFinish: true });
  expect(run.named("usage")).toEqual([{ event: "usage", model: "local", cost_usd: null, finish_reason: "stop" }]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Hello.", usage: { cost_usd: null } });
});

test("a server that doesn't stream has answered as well", async () => {
  const message = { role: "assistant", content: "Hello.", reasoning_content: "hm" };
  const body = {
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  };
  const { run } = await ran([{ status: 200, body }]);
  expect(run.named("thinking")).toMatchObject([{ summary: "hm" }]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Hello." });
});

test("the limit of tokens ends the run, and half a call isn't run", async () => {
  const turn = { text: "I beg", calls: [{ tool: "echo", args: '{"text":"ha' }], stop: "max_tokens" as const };
  const { run } = await ran([{ turn }], { ...withTools, max_tokens: 20, continue_cut_answers: false });
  expect(run.named("tool_start")).toEqual([]);
  expect(last(run)).toMatchObject({ event: "error", error: expect.stringContaining("max_tokens = 20") });
});

test("a refusal ends the run, be it the model's or its filter's", async () => {
  const own = await ran([{ turn: { text: "That is harmful.", stop: "refusal" } }]);
  expect(last(own.run)).toMatchObject({ error: "openai (local) refused to answer: That is harmful." });
  const body = 'data: {"choices":[{"delta":{"content":"I"},"finish_reason":"content_filter"}]}\n\n';
  const filtered = await ran([{ status: 200, headers: { "content-type": "text/event-stream" }, body }]);
  expect(last(filtered.run)).toMatchObject({ error: expect.stringContaining("content filter") });
});

test("neighbours of one role are one message, for templates that want the roles in turn", async () => {
  const { server } = await ran([{ turn: { text: "ok" } }], {
    history: [
      { role: "user", text: "a" },
      { role: "user", text: "b" },
      { role: "assistant", text: "c" },
      { role: "assistant", text: "d", calls: [{ call_id: "1", tool: "echo", args: { text: "x" } }] },
      { role: "tool", call_id: "1", result: "x" },
      { role: "assistant", text: "e" },
      { role: "user", text: "f" },
    ],
  });
  expect(server.refusals).toEqual([]);
  expect(messagesOf(server, 0).map(({ role, content }) => [role, content])).toEqual([
    ["user", "a\n\nb"],
    ["assistant", "c\n\nd"],
    ["tool", "x"],
    ["assistant", "e"],
    ["user", "f\n\nhello"],
  ]);
});

// What a model was found not to take stays known as long as the process lives: these have models of their own.

test.each([
  ["stream_options", "Unknown field: stream_options", {}],
  ["max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", { max_tokens: 9 }],
  ["reasoning_effort", '"local" does not support thinking', { thinking_budget: 9 }],
])("a server that doesn't take %s is asked without it", async (field, message, config) => {
  const replies = [{ status: 400, body: { error: message } }, { turn: { text: "ok" } }];
  const { run, server } = await ran(replies, { model: `without ${field}`, ...config });
  const [first, second] = bodies(server);
  expect(first).toHaveProperty(field);
  expect(second).not.toHaveProperty(field);
  if (field === "max_tokens") expect(second).toHaveProperty("max_completion_tokens", 9);
  expect(run.named("retry")).toEqual([]);
  expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
});

test("ids are made to fit a server that wants nine letters and digits", async () => {
  const message = "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.";
  const history = [
    { role: "user", text: "a" },
    { role: "assistant", calls: [{ call_id: "call_1", tool: "echo", args: {} }] },
    { role: "tool", call_id: "call_1", result: "x" },
  ];
  const replies = [{ status: 400, body: openaiError(message) }, { turn: { text: "ok" } }];
  const { server } = await ran(replies, { model: "of nine letters", history });
  expect(server.refusals).toEqual([]);
  expect(messagesOf(server, 1).find(({ role }) => role === "tool")?.["tool_call_id"]).toMatch(/^[a-z0-9]{9}$/);
});

test.each([
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
  "the request exceeds the available context size, try increasing it",
])("a conversation that is too long is understood: %s", async (message) => {
  const { run } = await ran([{ status: 400, body: { object: "error", message, code: 400 } }]);
  expect(last(run)).toMatchObject({ error: expect.stringMatching(/^the conversation is longer than the model takes/) });
});

test("a conversation that begins with an answer begins with a message of the user, and neighbours are one message", async () => {
  const history = [
    { role: "assistant", text: "Hello." },
    { role: "user", text: "[Ada]: hello" },
    { role: "user", text: "[Ben]: hello" },
  ];
  const { server } = await ran([{ turn: { text: "Yes." } }], { history });
  expect(messagesOf(server, 0)).toEqual([
    { role: "user", content: "(The beginning of the conversation is not shown.)" },
    { role: "assistant", content: "Hello." },
    { role: "user", content: "[Ada]: hello\n\n[Ben]: hello\n\nhello" },
  ]);
});
