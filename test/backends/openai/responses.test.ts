import { afterAll, expect, test } from "vitest";
import { openaiEndpoint } from "../../../backends/openai/endpoint/endpoint.ts";
import { openai, openaiAt } from "../../../backends/openai/provider.ts";
import { responsesRequest } from "../../../backends/openai/responses/request.ts";
import type { ModelCall } from "../../../backends/provider/provider.ts";
import { fromChain } from "../../../conversation/from-events.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import type { EventServer } from "../../support/providers/event-server.ts";
import { openaiError } from "../../support/providers/openai-errors.ts";
import { playOpenai } from "../../support/providers/openai.ts";
import { playedUsage, type Reply } from "../../support/providers/played.ts";
import { startToolServer } from "../../support/tool-server.ts";

const tools = await startToolServer();
afterAll(() => tools[Symbol.asyncDispose]());

type Ran = { run: TestRun; server: EventServer };

/** A run on a played server, which is asked for Responses although it isn't OpenAI's own. */
async function ran(replies: Reply[], config: Record<string, unknown> = {}): Promise<Ran> {
  await using server = await playOpenai(replies);
  const environment = { OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url };
  const run = { ...testRun({ model: "gpt-test", openai: { api: "responses" }, ...config }), environment };
  await runScript(run, openai(run.config, environment));
  return { run, server };
}

const withTools = { mcp_server_url: tools.url };
const bodies = (server: EventServer) => server.requests.map(({ body }) => body as Record<string, unknown>);
const inputOf = (server: EventServer, number: number) => bodies(server)[number]?.["input"] as Record<string, unknown>[];
const last = (run: TestRun) => run.events.at(-1);
const deltas = (run: TestRun) =>
  run
    .named("text_delta")
    .map(({ text }) => text)
    .join("");

test("a plain answer, and what is sent for it: nothing is stored, reasoning is included", async () => {
  const { run, server } = await ran([{ turn: { text: "Grüße 🌻" } }], {
    instruction: "Be brief.",
    extra_context: "It is Monday.",
    max_tokens: 64,
    temperature: 0.5,
    thinking_budget: 5000,
    history: [
      { role: "user", text: "before" },
      { role: "assistant", text: "yes" },
    ],
  });
  expect(server.refusals).toEqual([]);
  expect(server.requests[0]?.path).toBe("/v1/responses");
  expect(server.requests[0]?.headers["authorization"]).toBe("Bearer sk-test-0123456789");
  expect(bodies(server)).toEqual([
    {
      model: "gpt-test",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto", effort: "medium" },
      instructions: "Be brief.",
      max_output_tokens: 64,
      temperature: 0.5,
      // The context stands where it doesn't keep the conversation before it from being found in the cache.
      input: [
        { role: "user", content: "before" },
        { role: "assistant", content: "yes" },
        { role: "developer", content: "It is Monday." },
        { role: "user", content: "hello" },
      ],
    },
  ]);
  expect(run.events.map(({ event }) => event)).toEqual(["start", "usage", "finish"]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Grüße 🌻" });
});

test.each([1, 3, 7])("a stream in pieces of %i bytes is read as it was written", async (pieceBytes) => {
  const text = "Grüße — 日本 🌻, and a line\nmore";
  const turn = { thinking: "Wörter 🌻", text, calls: [{ tool: "echo", args: { text: "ü🌻" } }] };
  const { run } = await ran([{ turn, pieceBytes }, { turn: { text: "done" } }], { ...withTools, stream: true });
  expect(run.named("text")).toEqual([{ event: "text", text }]);
  expect(deltas(run)).toBe(`${text}done`);
  expect(run.named("tool_end")).toMatchObject([{ result: "ü🌻", is_error: false }]);
  expect(run.named("thinking")).toMatchObject([{ summary: "Wörter 🌻" }]);
});

test("reasoning goes back exactly as it came, in each turn and in a later run, but not to another model", async () => {
  const replies: Reply[] = [
    { turn: { thinking: "first", text: "I look.", calls: [{ tool: "echo", args: { text: "1" } }] } },
    { turn: { thinking: "second", calls: [{ tool: "echo", args: { text: "2" } }] } },
    { turn: { thinking: "third", text: "Done." } },
  ];
  const { run, server } = await ran(replies, withTools);
  expect(server.refusals).toEqual([]);
  const [first, second] = run.named("thinking").map(({ opaque }) => opaque);
  expect(first).toMatchObject({ type: "reasoning", id: expect.stringMatching(/^rs_/) });
  expect(
    inputOf(server, 2).map((item) => (item["type"] === "reasoning" ? item : (item["type"] ?? item["role"]))),
  ).toEqual([
    "user",
    first,
    "assistant",
    "function_call",
    "function_call_output",
    second,
    "function_call",
    "function_call_output",
  ]);
  const chain = fromChain([[{ event: "request", prompt: "hello", backend: "openai" }, ...run.events]]);
  const same = await ran([{ turn: { text: "again" } }], { ...withTools, history: chain });
  expect(same.server.refusals).toEqual([]);
  expect(inputOf(same.server, 0).filter(({ type }) => type === "reasoning")).toHaveLength(3);
  const other = await ran([{ turn: { text: "again" } }], { ...withTools, history: chain, model: "gpt-other" });
  expect(other.server.refusals).toEqual([]);
  expect(inputOf(other.server, 0).filter(({ type }) => type === "reasoning")).toEqual([]);
});

test("reasoning that the server can't read is left out, rather than losing the conversation", async () => {
  const opaque = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "of another key" };
  const reasoning = [{ provider: "openai", model: "gpt-test", opaque }];
  const { run, server } = await ran([{ turn: { text: "I go on." } }], {
    history: [
      { role: "user", text: "a" },
      { role: "assistant", text: "b", reasoning },
    ],
  });
  expect(server.refusals).toEqual(["The encrypted content for item rs_1 could not be verified."]);
  expect(last(run)).toMatchObject({ event: "finish", result: "I go on." });
});

test("reasoning in the form of Chat Completions isn't sent, nor what is no more than a reference", async () => {
  const block = (opaque: unknown) => ({ provider: "openai", model: "gpt-test", opaque });
  const reasoning = [
    block({ reasoning_content: "hm" }),
    block({ type: "reasoning", id: "rs_1", summary: [] }),
    block("x"),
    block(null),
  ];
  const { server } = await ran([{ turn: { text: "ok" } }], {
    history: [
      { role: "user", text: "a" },
      { role: "assistant", text: "b", reasoning },
    ],
  });
  expect(server.refusals).toEqual([]);
  expect(inputOf(server, 0)).toHaveLength(3);
});

test("three calls of one turn run in order, and each result stands with its call", async () => {
  const calls = ["1", "2", "3"].map((text) => ({ tool: "echo", args: { text } }));
  const { run, server } = await ran([{ turn: { calls } }, { turn: { text: "ok" } }], withTools);
  expect(server.refusals).toEqual([]);
  expect(run.named("tool_end").map(({ result }) => result)).toEqual(["1", "2", "3"]);
  const ids = run.named("tool_end").map(({ call_id }) => call_id);
  expect(new Set(ids).size).toBe(3);
  const outputs = inputOf(server, 1).filter(({ type }) => type === "function_call_output");
  expect(outputs.map(({ call_id, output }) => [call_id, output])).toEqual(ids.map((id, at) => [id, String(at + 1)]));
});

test.each([
  ["arguments that aren't JSON", "echo", '{"text":"o', /expected a JSON object/],
  ["an unknown tool", "ehco", {}, /Tool not found/],
  ["a name that OpenAI doesn't take", "my tool/ü", {}, /Tool not found: "my tool\/ü"/],
])("%s: an error that the model reads", async (_, tool, args, message) => {
  const { run, server } = await ran([{ turn: { calls: [{ tool, args }] } }, { turn: { text: "I see." } }], withTools);
  expect(server.refusals).toEqual([]);
  expect(run.named("tool_end")).toMatchObject([{ tool, is_error: true, result: expect.stringMatching(message) }]);
  const [output] = inputOf(server, 1).filter(({ type }) => type === "function_call_output");
  expect(output?.["output"]).toMatch(message);
  expect(last(run)).toMatchObject({ event: "finish", result: "I see." });
});

test("a refusal ends the run with what the model said of it", async () => {
  const { run } = await ran([{ turn: { text: "That is harmful.", stop: "refusal" } }]);
  expect(last(run)).toMatchObject({
    event: "error",
    reason: "provider",
    error: "openai (gpt-test) refused to answer: That is harmful.",
  });
});

test("the limit of tokens ends the run, and half a call isn't run", async () => {
  const turn = { text: "I beg", calls: [{ tool: "echo", args: '{"text":"ha' }], stop: "max_tokens" as const };
  const { run } = await ran([{ turn }], { ...withTools, max_tokens: 20, continue_cut_answers: false });
  expect(run.named("tool_start")).toEqual([]);
  expect(run.named("text")).toEqual([{ event: "text", text: "I beg", partial: true }]);
  expect(last(run)).toMatchObject({ event: "error", error: expect.stringContaining("max_tokens = 20") });
});

/** At OpenAI's own endpoint, but for its address. */
async function ranAtOpenai(replies: Reply[], config: Record<string, unknown> = {}): Promise<Ran> {
  await using server = await playOpenai(replies);
  const environment = { OPENAI_API_KEY: "sk-test-0123456789" };
  const run = { ...testRun({ model: "gpt-5.4", ...config }), environment };
  await runScript(run, openaiAt({ ...openaiEndpoint(environment), baseUrl: server.url }, run.config));
  return { run, server };
}

test("OpenAI's own server is asked for Responses, and costs what its price list says", async () => {
  const { run, server } = await ranAtOpenai([{ turn: { thinking: "hm", text: "Hello." } }]);
  expect(server.refusals).toEqual([]);
  // 2.50 and 15 dollars for a million of input and output, 0.25 for cached input.
  const cost =
    ((playedUsage.input - playedUsage.cached) * 2.5 + playedUsage.cached * 0.25 + playedUsage.output * 15) / 1e6;
  expect(run.named("usage")).toEqual([
    {
      event: "usage",
      model: "gpt-5.4",
      input_tokens: playedUsage.input,
      cached_input_tokens: playedUsage.cached,
      cache_write_input_tokens: playedUsage.cacheWrite,
      output_tokens: playedUsage.output,
      reasoning_tokens: playedUsage.reasoning,
      cost_usd: expect.closeTo(cost, 10),
      finish_reason: "stop",
      context_tokens: playedUsage.input + playedUsage.output,
    },
  ]);
});

test("a model that the price list doesn't know has no cost, and neither has any at a foreign address", async () => {
  const unknown = await ranAtOpenai([{ turn: { text: "Hello." } }], { model: "gpt-unheard-of" });
  expect(unknown.run.named("usage")).toMatchObject([{ cost_usd: null, input_tokens: playedUsage.input }]);
  const foreign = await ran([{ turn: { text: "Hello." } }], { model: "gpt-5.4" });
  expect(foreign.run.named("usage")).toMatchObject([{ cost_usd: null, input_tokens: playedUsage.input }]);
});

test("OpenAI gets back whether a message was a comment or an answer", async () => {
  const { server } = await ranAtOpenai(
    [{ turn: { text: "I look.", calls: [{ tool: "echo", args: { text: "1" } }] } }, { turn: { text: "ok" } }],
    {
      ...withTools,
      history: [
        { role: "user", text: "a" },
        { role: "assistant", text: "b" },
      ],
    },
  );
  expect(server.refusals).toEqual([]);
  const said = inputOf(server, 1).filter(({ role }) => role === "assistant");
  expect(said.map(({ content, phase }) => [content, phase])).toEqual([
    ["b", "final_answer"],
    ["I look.", "commentary"],
  ]);
});

const unsupported = (
  param: string,
  message = `Unsupported parameter: '${param}' is not supported with this model.`,
) => ({
  status: 400,
  body: openaiError(message, "unsupported_parameter", param),
});

test("a parameter that a model refuses is left out, and isn't tried again in this process", async () => {
  const config = { model: "gpt-plain", temperature: 0.5, thinking_budget: 0 };
  await using server = await playOpenai([
    unsupported("reasoning.effort", "Unsupported value: 'none' is not supported with the 'gpt-plain' model."),
    unsupported("reasoning.effort"),
    unsupported("reasoning.summary"),
    {
      status: 400,
      body: openaiError("Unsupported value: 'temperature' does not support 0.5.", "unsupported_value", "temperature"),
    },
    { turn: { text: "one" } },
    { turn: { text: "two" } },
  ]);
  const environment = { OPENAI_API_KEY: "sk-test-0123456789", OPENAI_BASE_URL: server.url };
  for (const result of ["one", "two"]) {
    const run = { ...testRun({ openai: { api: "responses" }, ...config }), environment };
    await runScript(run, openai(run.config, environment));
    expect(last(run)).toMatchObject({ event: "finish", result });
    expect(run.named("retry")).toEqual([]);
  }
  expect(bodies(server).map(({ reasoning, temperature }) => [reasoning, temperature])).toEqual([
    [{ summary: "auto", effort: "none" }, 0.5],
    [{ summary: "auto", effort: "low" }, 0.5],
    [{ summary: "auto" }, 0.5],
    [undefined, 0.5],
    [undefined, undefined],
    [undefined, undefined],
  ]);
});

test("a value that is wrong isn't left out: that is for the user to mend", async () => {
  const message = "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 7 instead.";
  const { run, server } = await ran(
    [{ status: 400, body: openaiError(message, "decimal_above_max_value", "temperature") }],
    {
      temperature: 7,
    },
  );
  expect(server.requests).toHaveLength(1);
  expect(last(run)).toMatchObject({ event: "error", error: `openai answered 400: ${message}` });
});

const call = (fields: Partial<ModelCall>): ModelCall => ({
  model: "m",
  instruction: "",
  context: "",
  messages: [{ role: "user", text: "hi" }],
  tools: [],
  toolChoice: "none",
  ...fields,
});

test("names, ids and schemas that OpenAI would refuse are changed into ones that it takes", () => {
  const id = "x".repeat(100);
  const messages = [
    { role: "user" as const, text: "hi" },
    { role: "assistant" as const, calls: [{ call_id: id, tool: "notes.list", args: {} }] },
    { role: "tool" as const, call_id: id, result: { a: 1 }, is_error: true },
  ];
  const schema = {
    type: "object",
    anyOf: [{ properties: { a: { type: "array" } } }, { properties: { b: { type: ["array", "null"] } } }],
    required: ["c"],
    properties: { c: { type: "object", properties: { d: { type: "array", items: { type: "array" } } } } },
  };
  const { input, tools, tool_choice } = responsesRequest(
    call({
      messages,
      tools: [
        { name: "notes.list", description: "Lists.", schema },
        { name: "bare", description: "", schema: {} },
      ],
    }),
    { hasPhases: false, maySearch: false },
  );
  const [, made, output] = input as unknown as Record<string, string>[];
  expect(made?.["name"]).toMatch(/^notes_list_[0-9a-f]{8}$/);
  expect(made?.["call_id"]?.length).toBeLessThanOrEqual(64);
  expect(output).toMatchObject({ call_id: made?.["call_id"], output: 'Error: {"a":1}' });
  expect(tool_choice).toBe("none");
  expect(tools).toEqual([
    {
      type: "function",
      name: made?.["name"],
      description: "Lists.",
      strict: false,
      parameters: {
        type: "object",
        required: ["c"],
        properties: {
          a: { type: "array", items: {} },
          b: { type: ["array", "null"], items: {} },
          c: { type: "object", properties: { d: { type: "array", items: { type: "array", items: {} } } } },
        },
      },
    },
    expect.objectContaining({ name: "bare", parameters: { type: "object", properties: {} } }),
  ]);
});

test("a conversation that goes on begins with what was sent before, byte for byte, so that it is found in the cache", async () => {
  const config = { ...withTools, instruction: "Be brief.", extra_context: "It is Monday." };
  const chain: TestRun["events"][] = [];
  const sent: Record<string, unknown>[] = [];
  for (const prompt of ["one", "two", "three"]) {
    const call = { thinking: `On ${prompt}.`, calls: [{ tool: "echo", args: { text: prompt } }] };
    const history = fromChain(chain);
    const { run, server } = await ran([{ turn: call }, { turn: { text: `Answer to ${prompt}.` } }], {
      ...config,
      prompt,
      history,
    });
    expect(server.refusals).toEqual([]);
    // Within a run each call begins with all of the one before.
    const [before, after] = [inputOf(server, 0), inputOf(server, 1)];
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
    chain.push([{ event: "request", prompt } as TestRun["events"][number], ...run.events]);
    sent.push(...bodies(server));
  }
  const fixed = sent.map((body) => JSON.stringify({ ...body, input: null }));
  expect(new Set(fixed).size).toBe(1);
  // What the day's context doesn't separate is the same from run to run.
  const spoken = sent.map(({ input }) =>
    JSON.stringify((input as Record<string, unknown>[]).filter(({ role }) => role !== "developer")),
  );
  for (const [at, text] of spoken.entries())
    if (at > 0) expect(text.startsWith((spoken[at - 1] ?? "").slice(0, -1))).toBe(true);
});
