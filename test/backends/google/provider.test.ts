import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { google } from "../../../backends/google/provider.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { AgentProcess } from "../../support/backends/agent-process.ts";
import { bodyOf, eventOf, playGoogle, startGoogle } from "../../support/providers/google.ts";
import { playedUsage } from "../../support/providers/played.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";
import { environmentOf, key, last, runGoogle, sentTo } from "./played-run.ts";

let tools: ToolServer;
beforeAll(async () => {
  tools = await startToolServer();
});
afterAll(() => tools[Symbol.asyncDispose]());
const withTools = (config: Record<string, unknown> = {}) => ({ mcp_server_url: tools.url, ...config });

const streamOf = (...events: Record<string, unknown>[]) => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  body: bodyOf(...events),
});

test("a plain answer: what is asked, what is said, what it used and cost", async () => {
  await using server = await playGoogle([{ turn: { text: "Grüße, Ada — 你好!" } }]);
  const run = await runGoogle(server, {
    instruction: "Be brief.",
    extra_context: "It is Monday.",
    model: "gemini-2.5-flash",
    max_tokens: 900,
    temperature: 0.5,
    thinking_budget: 512,
    stream: true,
  });
  expect(server.refusals).toEqual([]);
  const used = {
    input_tokens: playedUsage.input,
    cached_input_tokens: playedUsage.cached,
    output_tokens: playedUsage.output,
    reasoning_tokens: playedUsage.reasoning,
    // 80 at 0.30 $ a million, 20 cached at 0.03 $, 30 out at 2.50 $.
    cost_usd: expect.closeTo(0.0000996, 10),
  };
  expect(run.named("usage", "finish")).toEqual([
    { event: "usage", model: "gemini-2.5-flash", ...used, finish_reason: "stop", context_tokens: 130 },
    {
      event: "finish",
      result: "Grüße, Ada — 你好!",
      usage: { model: "gemini-2.5-flash", ...used, total_tokens: 130 },
    },
  ]);
  expect(run.named("text_delta").map(({ text }) => text)).toEqual(["Grüße", ", Ada", " — 你好", "!"]);
  expect(server.requests[0]?.headers["x-goog-api-key"]).toBe(key);
  expect(sentTo(server)).toEqual([
    {
      systemInstruction: { parts: [{ text: "Be brief." }, { text: "It is Monday." }] },
      contents: [{ role: "user", parts: [{ text: "hello" }] }],
      generationConfig: {
        maxOutputTokens: 900,
        temperature: 0.5,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 512 },
      },
    },
  ]);
});

test("a price that isn't known is null, and an alias has the price of what it stands for", async () => {
  const answerOf = (modelVersion: string) =>
    streamOf(
      eventOf(
        [{ text: "ok" }],
        { finishReason: "STOP" },
        {
          modelVersion,
          usageMetadata: { promptTokenCount: 1_000_000, toolUsePromptTokenCount: 5, candidatesTokenCount: 0 },
        },
      ),
    );
  await using server = await playGoogle([answerOf("gemini-unheard-of"), answerOf("gemini-2.5-flash")]);
  const unknown = await runGoogle(server, { model: "gemini-unheard-of" });
  const alias = await runGoogle(server, { model: "gemini-flash-latest" });
  expect(unknown.named("usage")).toMatchObject([{ cost_usd: null, input_tokens: 1_000_005 }]);
  expect(alias.named("usage")).toMatchObject([{ cost_usd: expect.closeTo(0.3, 3) }]);
});

test.each([1, 3, 7])("a stream in pieces of %i bytes is the same stream", async (pieceBytes) => {
  const turn = { thinking: "Größe?", text: "“Ü” — 你好 🎈 it's\n\ndata: done" };
  await using server = await playGoogle([{ turn, pieceBytes }]);
  const run = await runGoogle(server, { stream: true });
  expect(last(run)).toMatchObject({ event: "finish", result: turn.text });
  expect(
    run
      .named("text_delta")
      .map(({ text }) => text)
      .join(""),
  ).toBe(turn.text);
  expect(run.named("thinking", "retry")).toMatchObject([{ summary: turn.thinking }, { opaque: { part: "text" } }]);
});

test("two rounds of tools, with the signatures of the calls given back", async () => {
  await using server = await playGoogle([
    { turn: { thinking: "One first.", calls: [{ tool: "echo", args: { text: "one" } }] } },
    { turn: { text: "Another.", calls: [{ tool: "echo", args: { text: "two" } }] } },
    { turn: { text: "Done." } },
  ]);
  const run = await runGoogle(server, withTools());
  expect(server.refusals).toEqual([]);
  expect(last(run)).toMatchObject({ event: "finish", result: "Done.", usage: { total_tokens: 390 } });
  expect(run.named("thinking", "text", "tool_end")).toMatchObject([
    { event: "thinking", summary: "One first.", opaque: { part: "call", call: 0 } },
    { event: "tool_end", result: "one", is_error: false },
    { event: "text", text: "Another." },
    { event: "thinking", opaque: { part: "call", call: 0 } },
    { event: "tool_end", result: "two" },
    { event: "thinking", opaque: { part: "text", text: "" } },
  ]);
  expect(sentTo(server)[2]?.contents).toEqual([
    { role: "user", parts: [{ text: "hello" }] },
    {
      role: "model",
      parts: [
        { functionCall: { id: "echo-1", name: "echo", args: { text: "one" } }, thoughtSignature: expect.any(String) },
      ],
    },
    { role: "user", parts: [{ functionResponse: { id: "echo-1", name: "echo", response: { output: "one" } } }] },
    {
      role: "model",
      parts: [
        { text: "Another." },
        { functionCall: { id: "echo-2", name: "echo", args: { text: "two" } }, thoughtSignature: expect.any(String) },
      ],
    },
    { role: "user", parts: [{ functionResponse: { id: "echo-2", name: "echo", response: { output: "two" } } }] },
  ]);
});

test.each([{}, { hasIds: true }, { signsAll: true }])("three calls in one turn, %j", async (options) => {
  const calls = ["one", "two", "three"].map((text) => ({ tool: "echo", args: { text } }));
  await using server = await startGoogle(
    [{ turn: { thinking: "Three.", text: "Now.", calls } }, { turn: { text: "ok" } }],
    options,
  );
  const run = await runGoogle(server, withTools());
  expect(server.refusals).toEqual([]);
  expect(run.named("tool_end").map(({ result }) => result)).toEqual(["one", "two", "three"]);
  const [, model, results] = sentTo(server)[1]?.contents ?? [];
  const called = model?.parts.filter((part) => part["functionCall"]) ?? [];
  expect(called.map((part) => typeof part["thoughtSignature"])).toEqual(
    "signsAll" in options ? ["string", "string", "string"] : ["string", "undefined", "undefined"],
  );
  expect(results?.parts).toHaveLength(3);
});

test("a thought, a text and calls that are each signed go back as they came", async () => {
  const calls = [{ tool: "echo", args: { text: "one" } }];
  await using server = await startGoogle(
    [{ turn: { thinking: "Hm, hm, hm.", text: "Let me look.", calls } }, { turn: { text: "ok" } }],
    { signsAll: true },
  );
  await runGoogle(server, withTools());
  expect(server.refusals).toEqual([]);
  const signed = { thoughtSignature: expect.any(String) };
  expect(sentTo(server)[1]?.contents[1]?.parts).toEqual([
    { text: "Hm, hm, hm.", thought: true, ...signed },
    { text: "Let me loo" },
    { text: "k.", ...signed },
    { functionCall: { id: "echo-1", name: "echo", args: { text: "one" } }, ...signed },
  ]);
});

test("arguments that are no object, and an unknown tool, are results that the model reads", async () => {
  await using server = await playGoogle([
    {
      turn: {
        calls: [
          { tool: "echo", args: '{"text": ' },
          { tool: "no such tool", args: {} },
        ],
      },
    },
    { turn: { text: "I see." } },
  ]);
  const run = await runGoogle(server, withTools());
  expect(server.refusals).toEqual([]);
  expect(last(run)).toMatchObject({ event: "finish", result: "I see." });
  const results = sentTo(server)[1]?.contents[2]?.parts;
  expect(results).toMatchObject([
    { functionResponse: { name: "echo", response: { error: expect.stringContaining("Bad arguments for echo") } } },
    { functionResponse: { name: "no_such_tool", response: { error: expect.stringContaining("Tool not found") } } },
  ]);
});

test("the last turn describes the tools and forbids to call them", async () => {
  await using server = await playGoogle([
    { turn: { calls: [{ tool: "echo", args: { text: "one" } }] } },
    { turn: { text: "Enough." } },
  ]);
  const run = await runGoogle(server, withTools({ max_turns: 1, tools: ["echo"] }));
  expect(last(run)).toMatchObject({ event: "finish", result: "Enough." });
  expect(sentTo(server).map(({ toolConfig }) => toolConfig)).toEqual([
    { functionCallingConfig: { mode: "AUTO" } },
    { functionCallingConfig: { mode: "NONE" } },
  ]);
  expect(sentTo(server)[1]?.["tools"]).toEqual([
    {
      functionDeclarations: [
        {
          name: "echo",
          description: "Says it again.",
          parametersJsonSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
        },
      ],
    },
  ]);
});

test("a request for no thinking asks for no summaries", async () => {
  await using server = await playGoogle([{ turn: { text: "ok" } }]);
  await runGoogle(server, { thinking_budget: 0 });
  expect(server.refusals).toEqual([]);
  expect(sentTo(server)[0]?.generationConfig).toEqual({ thinkingConfig: { thinkingBudget: 0 } });
});

describe("why it stopped", () => {
  test.each([
    [{ turn: { text: "I think that", stop: "max_tokens" as const } }, "was cut off at max_tokens = 5: MAX_TOKENS"],
    [
      { turn: { text: "Well", stop: "refusal" as const } },
      "refused to answer: SAFETY, HARM_CATEGORY_DANGEROUS_CONTENT",
    ],
    ...["RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER", "A_NEW_ONE"].map(
      (finishReason) =>
        [streamOf(eventOf([], { finishReason })), `refused to answer: ${finishReason}`] as [
          ReturnType<typeof streamOf>,
          string,
        ],
    ),
    [
      streamOf({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 9 } }),
      "refused to answer: the prompt was blocked: PROHIBITED_CONTENT",
    ],
    [streamOf(eventOf([], { finishReason: "STOP" })), "answered with nothing"],
  ])("%j is an error: %s", async (reply, message) => {
    await using server = await playGoogle([reply]);
    const run = await runGoogle(server, { max_tokens: 5, continue_cut_answers: false });
    expect(last(run)).toMatchObject({ event: "error", reason: "provider", error: expect.stringContaining(message) });
    expect(server.requests).toHaveLength(1);
    expect(run.named("usage")).toHaveLength(1);
  });

  test.each(["MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL"])(
    "%s is tried again",
    async (finishReason) => {
      const broken = eventOf([], { finishReason });
      await using server = await playGoogle([streamOf(broken), { turn: { text: "ok" } }]);
      const run = await runGoogle(server);
      expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
      expect(run.named("retry")).toMatchObject([{ reason: expect.stringContaining(finishReason) }]);
    },
  );
});

describe("leaving", () => {
  test("a run that is cancelled in silence ends at once, and the connection with it", async () => {
    await using server = await startGoogle([{ silent: true }]);
    const run = testRun({ stream: true });
    const ended = runScript(run, google(environmentOf(server)));
    while (server.requests.length === 0) await new Promise((resolve) => void setImmediate(resolve));
    run.cancel();
    await ended;
    await server.left;
    expect(last(run)).toMatchObject({ event: "error", reason: "cancelled" });
  });

  test("a reader that leaves early closes the connection", async () => {
    const left = Promise.withResolvers<void>();
    const endless = createServer((_, response) => {
      response.on("close", () => left.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(bodyOf(eventOf([{ text: "on and on" }])));
    });
    endless.listen(0, "127.0.0.1");
    await once(endless, "listening");
    try {
      const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
      const call = { model: "m", instruction: "", context: "", messages: [{ role: "user" as const, text: "hi" }] };
      const provider = google(environmentOf({ url }));
      const chunks = provider.stream({ ...call, tools: [], toolChoice: "none" }, new AbortController().signal);
      for await (const chunk of chunks) {
        expect(chunk).toEqual({ type: "text", text: "on and on" });
        break;
      }
      await left.promise;
    } finally {
      endless.closeAllConnections();
      endless.close();
    }
  });

  test("a redirect isn't followed: the key stays where it was sent", async () => {
    await using elsewhere = await startGoogle([]);
    await using server = await playGoogle([
      { status: 307, headers: { location: `${elsewhere.url}/v1beta/models` }, body: "elsewhere" },
    ]);
    const run = await runGoogle(server);
    expect(last(run)).toMatchObject({ event: "error", error: expect.stringContaining("google answered 307") });
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("as a process", () => {
  test("cortex-agent runs it with the key and the base URL of its environment", async () => {
    await using server = await playGoogle([
      { turn: { thinking: "Hm.", calls: [{ tool: "echo", args: { text: "one" } }] } },
      { turn: { text: `Your key is ${key}.` }, pieceBytes: 3 },
    ]);
    await using agent = new AgentProcess(environmentOf(server));
    agent.write({ prompt: "hello", backend: "google", mcp_server_url: tools.url }).end();
    expect(await agent.exit()).toBe(0);
    expect(server.refusals).toEqual([]);
    expect(agent.events.map(({ event }) => event)).toEqual(
      "start usage thinking tool_start tool_end usage thinking finish".split(" "),
    );
    expect(agent.events.at(-1)).toMatchObject({ result: "Your key is ***." });
    expect(JSON.stringify(agent.events) + agent.stderr).not.toContain(key);
    expect(agent.stderr).toBe("");
  });
});
