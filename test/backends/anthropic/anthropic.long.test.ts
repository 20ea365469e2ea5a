import { expect, test } from "vitest";
import { anthropic } from "../../../backends/anthropic/provider.ts";
import type { Chunk, ModelCall, Provider } from "../../../backends/provider/provider.ts";
import {
  body,
  environmentOf,
  messages,
  rawStream,
  runOn,
  runWith,
  stoppedStream,
  textEvents,
  callEvents,
} from "../../support/backends/anthropic-run.ts";
import { useToolServer } from "../../support/backends/run-with-tools.ts";
import { startAnthropic } from "../../support/providers/anthropic.ts";
import type { PlayedRequest } from "../../support/providers/played.ts";
import { startToolServer } from "../../support/tool-server.ts";

/** A call of the provider without the loop. */
async function drain(provider: Provider, more: Partial<ModelCall> = {}): Promise<Chunk[]> {
  const messages = [{ role: "user" as const, text: "hi" }];
  const call = { model: "m", instruction: "", context: "", messages, tools: [], toolChoice: "none" as const, ...more };
  return Array.fromAsync(provider.stream(call, new AbortController().signal));
}

const withTools = useToolServer();

const ended = { finish_reason: "stop", context_tokens: 130 };

const usage = {
  input_tokens: 100,
  cached_input_tokens: 20,
  cache_write_input_tokens: 8,
  output_tokens: 30,
  reasoning_tokens: 5,
  // 72 tokens at 3 $ a million, 20 read at 0.30 $, 8 written at 3.75 $, 30 answered at 15 $.
  cost_usd: 0.000702,
};

test("a plain answer: its request, its events, its usage and its cost", async () => {
  const { run, played } = await runWith([{ turn: { text: "Grüße, 🌱!" } }], {
    model: "claude-sonnet-4-6",
    instruction: "Be brief.",
    extra_context: "It is Monday.",
  });
  expect(played.refusals).toEqual([]);
  expect(body(played.requests[0])).toEqual({
    model: "claude-sonnet-4-6",
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "It is Monday." },
    ],
    messages: [{ role: "user", content: [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }] }],
  });
  const { headers, path } = played.requests[0] as PlayedRequest;
  expect(path).toBe("/v1/messages");
  expect(headers).toMatchObject({ "x-api-key": "sk-ant-api03-of-nobody", "anthropic-version": "2026-10-21" });
  expect(headers).not.toHaveProperty("authorization");
  expect(run.events).toEqual([
    { event: "start", persona: "default", backend: "anthropic", model: "claude-sonnet-4-6", prompt: "hello" },
    { event: "usage", model: "claude-sonnet-4-6", ...usage, cost_usd: expect.closeTo(usage.cost_usd, 10), ...ended },
    {
      event: "finish",
      result: "Grüße, 🌱!",
      usage: {
        model: "claude-sonnet-4-6",
        ...usage,
        total_tokens: 130,
        cost_usd: expect.closeTo(usage.cost_usd, 10),
      },
    },
  ]);
});

test("a model that no price list knows has no cost", async () => {
  const { run } = await runWith([{ turn: { text: "ok" } }], { model: "claude-of-tomorrow-9" });
  expect(run.named("usage")).toMatchObject([{ cost_usd: null, input_tokens: 100 }]);
});

test.each([1, 3, 7, 64])("an answer that comes in pieces of %i bytes is whole", async (pieceBytes) => {
  const text = "Grüße 🌱\u2028 — “ja”, 日本語。 data: {}\n\nevent: x";
  const args = { text: 'ä"\\🌍\n' };
  await using played = await startAnthropic([
    { turn: { thinking: "Überlegt: 🌱", text, calls: [{ tool: "echo", args }] }, pieceBytes },
    { turn: { text }, pieceBytes },
  ]);
  const run = await runOn(played, withTools({ stream: true }));
  expect(played.refusals).toEqual([]);
  expect(run.named("thinking")).toMatchObject([{ summary: "Überlegt: 🌱" }]);
  expect(run.named("text")).toEqual([{ event: "text", text }]);
  expect(run.named("tool_end")).toMatchObject([{ args, result: args.text, is_error: false }]);
  expect(run.named("finish")).toMatchObject([{ result: text }]);
  expect(
    run
      .named("text_delta")
      .map((event) => event["text"])
      .join(""),
  ).toBe(text + text);
});

test("two rounds of tools with reasoning: each block goes back as it came, in its order", async () => {
  await using played = await startAnthropic([
    { turn: { thinking: "First the one.", text: "Let me look.", calls: [{ tool: "echo", args: { text: "one" } }] } },
    { turn: { thinking: "Now the other.", calls: [{ tool: "echo", args: { text: "two" } }] } },
    { turn: { thinking: "Enough.", text: "One and two." } },
  ]);
  const run = await runOn(played, withTools({ thinking_budget: 2000 }));
  expect(played.refusals).toEqual([]);
  expect(run.events.map(({ event }) => event).join(" ")).toBe(
    "start usage thinking text tool_start tool_end usage thinking tool_start tool_end usage thinking finish",
  );
  const [first, second] = run.named("thinking");
  const [one, two] = run.named("tool_start").map(({ call_id }) => call_id);
  expect(messages(played.requests[2])).toEqual([
    { role: "user", content: [{ type: "text", text: "hello" }] },
    {
      role: "assistant",
      content: [
        first?.["opaque"],
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: one, name: "echo", input: { text: "one" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: one, content: "one" }] },
    {
      role: "assistant",
      content: [second?.["opaque"], { type: "tool_use", id: two, name: "echo", input: { text: "two" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: two, content: "two" }] },
  ]);
  expect(body(played.requests[0])).toMatchObject({
    max_tokens: 34_000,
    thinking: { type: "enabled", budget_tokens: 2000 },
    tool_choice: { type: "auto" },
  });
});

test("the results of three calls of one turn stand in one message, in order", async () => {
  const calls = ["one", "two", "three"].map((text) => ({ tool: "echo", args: { text } }));
  await using played = await startAnthropic([{ turn: { calls } }, { turn: { text: "ok" } }]);
  await runOn(played, withTools());
  expect(played.refusals).toEqual([]);
  expect(messages(played.requests[1]).map(({ role, content }) => [role, ...content.map(({ type }) => type)])).toEqual([
    ["user", "text"],
    ["assistant", "tool_use", "tool_use", "tool_use"],
    ["user", "tool_result", "tool_result", "tool_result"],
  ]);
  expect(messages(played.requests[1])[2]?.content.map(({ content }) => content)).toEqual(["one", "two", "three"]);
});

test.each([
  [
    "broken arguments",
    "echo",
    '{"text": "o',
    /^Bad arguments for echo: expected a JSON object of at most 48 levels, got/,
  ],
  ["an unknown tool", "ehco", "{}", /^Tool not found: "ehco"/],
])("%s are an error that the model reads", async (_, tool, args, result) => {
  await using played = await startAnthropic([{ turn: { calls: [{ tool, args }] } }, { turn: { text: "Sorry." } }]);
  const run = await runOn(played, withTools());
  expect(played.refusals).toEqual([]);
  expect(messages(played.requests[1])[2]?.content).toMatchObject([
    { type: "tool_result", is_error: true, content: expect.stringMatching(result) },
  ]);
  expect(run.named("finish")).toMatchObject([{ result: "Sorry." }]);
});

test("a call without arguments has none", async () => {
  await using played = await startAnthropic([
    { turn: { calls: [{ tool: "picture", args: "" }] } },
    { turn: { text: "ok" } },
  ]);
  const run = await runOn(played, withTools());
  expect(run.named("tool_end")).toMatchObject([{ args: {}, is_error: false }]);
  expect(played.refusals).toEqual([]);
});

test("a server that sends a call's arguments at once, and a block's first words with its beginning, is understood", async () => {
  const call = { type: "tool_use", id: "c1", name: "echo", input: { text: "at once" } };
  await using played = await startAnthropic([
    stoppedStream(
      "tool_use",
      ["content_block_start", { index: 0, content_block: { type: "text", text: "See: " } }],
      ["content_block_stop", { index: 0 }],
      ["content_block_start", { index: 1, content_block: call }],
      ["content_block_stop", { index: 1 }],
    ),
    { turn: { text: "ok" } },
  ]);
  const run = await runOn(played, withTools());
  expect(run.named("text", "tool_end")).toMatchObject([{ text: "See: " }, { result: "at once" }]);
});

test("a tool with a name that the API doesn't take is called by its own", async () => {
  const { z } = await import("zod");
  await using server = await startToolServer({
    register: (mcp) => {
      mcp.registerTool("notes.search", { inputSchema: { query: z.string() } }, ({ query }) => ({
        content: [{ type: "text", text: `found ${query}` }],
      }));
    },
  });
  await using played = await startAnthropic([{ turn: { text: "What?" } }]);
  await runOn(played, { mcp_server_url: server.url });
  const offered = body(played.requests[0])["tools"] as { name: string }[];
  const name = offered.map((tool) => tool.name).find((each) => each.startsWith("notes_search_")) ?? "";
  await using next = await startAnthropic([
    { turn: { calls: [{ tool: name, args: { query: "oak" } }] } },
    { turn: { text: "ok" } },
  ]);
  const run = await runOn(next, { mcp_server_url: server.url });
  expect([...played.refusals, ...next.refusals]).toEqual([]);
  expect(run.named("tool_end")).toMatchObject([{ tool: "notes.search", result: "found oak" }]);
});

test("a schema with a choice at its top is offered with the fields of all branches", async () => {
  await using played = await startAnthropic([{ turn: { text: "ok" } }]);
  const id = { properties: { id: { type: "string" }, both: { type: "number" } }, required: ["id", "both"] };
  const name = { properties: { name: { type: "string" } }, required: ["name", "both"] };
  const schema = { type: "object", properties: { day: { type: "string" } }, required: ["day"], anyOf: [id, name] };
  await drain(anthropic(environmentOf(played)), { tools: [{ name: "find", description: "Finds.", schema }] });
  expect(played.refusals).toEqual([]);
  expect(body(played.requests[0])["tools"]).toMatchObject([
    {
      input_schema: {
        type: "object",
        properties: {
          day: { type: "string" },
          id: { type: "string" },
          both: { type: "number" },
          name: { type: "string" },
        },
        required: ["day", "both"],
      },
    },
  ]);
});

test("blocks and events that this version doesn't know are passed over", async () => {
  const { last } = await runWith([
    stoppedStream(
      "end_turn",
      ["weather_report", { sun: true }],
      [
        "content_block_start",
        { index: 0, content_block: { type: "server_tool_use", id: "s", name: "web", input: {} } },
      ],
      ["content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json: "{}" } }],
      ["content_block_stop", { index: 0 }],
      ...textEvents("ok", 1),
    ),
  ]);
  expect(last).toMatchObject({ event: "finish", result: "ok" });
});

test("a server of the dialect that counts no tokens is understood", async () => {
  const { last, run } = await runWith([
    rawStream(
      ["message_start", { message: {} }],
      ...textEvents("ok"),
      ["message_delta", { delta: { stop_reason: "end_turn" } }],
      ["message_stop", {}],
    ),
  ]);
  expect(last).toMatchObject({ event: "finish", result: "ok" });
  expect(run.named("usage")).toMatchObject([{ input_tokens: 0, output_tokens: 0 }]);
});

test("the turn after the last one with tools has them described, and not to be called", async () => {
  await using played = await startAnthropic([
    { turn: { calls: [{ tool: "echo", args: { text: "one" } }] } },
    stoppedStream("tool_use", ...textEvents("No more."), ...callEvents("c9", "echo", '{"text":"two"}', 1)),
  ]);
  const run = await runOn(played, withTools({ max_turns: 1 }));
  expect(played.refusals).toEqual([]);
  expect(body(played.requests[1])).toMatchObject({ tool_choice: { type: "none" }, tools: expect.any(Array) });
  expect(run.named("finish")).toMatchObject([{ result: "No more." }]);
});

test("data keeps the pulse going, and keep-alives don't", async () => {
  await using played = await startAnthropic([{ turn: { thinking: "Long thoughts are long.", text: "ok" } }]);
  const types = (await drain(anthropic(environmentOf(played)))).map(({ type }) => type);
  // Of the reasoning: its beginning, three pieces, its signature.
  expect(types.join(" ")).toBe("usage progress progress progress progress progress thinking progress text usage end");
});
