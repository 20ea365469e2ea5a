/** Each dialect through the gateway, whole and streamed, against servers that follow the providers' wire formats. */
import { expect, test } from "vitest";
import type { ModelProviderName } from "../../../protocol/settings/model-providers.ts";
import { playAnthropic } from "../../support/providers/anthropic.ts";
import { playGoogle } from "../../support/providers/google.ts";
import { playChat, playOpenai } from "../../support/providers/openai.ts";
import { type Play, playedUsage } from "../../support/providers/played.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { addressOfNobody } from "../../support/network/own-port.ts";
import { openTestGateway, secretKey } from "../test-gateway.ts";

const streamed: {
  name: string;
  provider: ModelProviderName;
  play: Play;
  path: string;
  header: (token: string) => Record<string, string>;
  body: Record<string, unknown>;
}[] = [
  {
    name: "Messages",
    provider: "anthropic",
    play: playAnthropic,
    path: "/v1/messages",
    header: (token) => ({ "x-api-key": token, "anthropic-version": "2023-06-01" }),
    body: {
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      stream: true,
      messages: [{ role: "user", content: "hi" }],
    },
  },
  {
    name: "Chat Completions",
    provider: "openai",
    play: playChat,
    path: "/chat/completions",
    header: (token) => ({ authorization: `Bearer ${token}` }),
    body: {
      model: "gpt-5",
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: "hi" }],
    },
  },
  {
    name: "Responses",
    provider: "openai",
    play: playOpenai,
    path: "/responses",
    header: (token) => ({ authorization: `Bearer ${token}` }),
    body: {
      model: "gpt-5",
      stream: true,
      include: ["reasoning.encrypted_content"],
      store: false,
      input: [{ role: "user", content: "hi" }],
    },
  },
  {
    name: "Gemini",
    provider: "google",
    play: playGoogle,
    path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    header: (token) => ({ "x-goog-api-key": token }),
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
  },
];

test.each(streamed)("a stream of $name passes, with the key put in, and its usage is told", async (one) => {
  await using server = await one.play([{ turn: { text: "Grüße aus 東京 🎌" }, pieceBytes: 7 }]);
  await using gateway = await openTestGateway({ provider: one.provider, url: server.url });
  const answer = await fetch(gateway.url + one.path, {
    method: "POST",
    headers: { "content-type": "application/json", ...one.header(gateway.token) },
    body: JSON.stringify(one.body),
  });
  const text = await answer.text();
  expect([answer.status, server.refusals], text).toEqual([200, []]);
  expect(answer.headers.get("content-type")).toMatch("text/event-stream");
  const [asked] = server.requests;
  expect(asked?.body).toEqual(one.body);
  expect(JSON.stringify(asked?.headers)).toContain(secretKey);
  expect(JSON.stringify(asked)).not.toContain(gateway.token);
  const [usage] = await gateway.ended();
  expect(usage).toMatchObject({ input_tokens: playedUsage.input, output_tokens: playedUsage.output });
  expect(usage?.cached_input_tokens).toBe(playedUsage.cached);
  expect(usage).not.toHaveProperty("estimated");
  expect(usage?.cost_usd).toBeGreaterThan(0);
});

const whole: {
  name: string;
  provider: ModelProviderName;
  path: string;
  request: Record<string, unknown>;
  answer: unknown;
  usage: Record<string, unknown>;
}[] = [
  {
    name: "Messages",
    provider: "anthropic",
    path: "/v1/messages",
    request: { model: "claude-sonnet-4-5", max_tokens: 10 },
    answer: {
      type: "message",
      model: "claude-sonnet-4-5",
      content: [{ type: "text", text: "hi" }],
      usage: { input_tokens: 5, cache_read_input_tokens: 7, cache_creation_input_tokens: 3, output_tokens: 2 },
    },
    usage: { input_tokens: 15, cached_input_tokens: 7, cache_write_input_tokens: 3, output_tokens: 2 },
  },
  {
    name: "Chat Completions",
    provider: "openai",
    path: "/v1/chat/completions",
    request: { model: "gpt-5", messages: [] },
    answer: {
      object: "chat.completion",
      model: "gpt-5-2025-08-07",
      choices: [{ message: { content: "hi" } }],
      usage: { prompt_tokens: 9, completion_tokens: 4, completion_tokens_details: { reasoning_tokens: 1 } },
    },
    usage: { model: "gpt-5", input_tokens: 9, output_tokens: 4, reasoning_tokens: 1 },
  },
  {
    name: "Responses",
    provider: "openai",
    path: "/responses",
    request: { model: "gpt-5", input: "hi" },
    answer: {
      object: "response",
      model: "gpt-5",
      output: [{ type: "web_search_call" }, { type: "message" }],
      usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 8 }, output_tokens: 4 },
    },
    usage: { input_tokens: 9, cached_input_tokens: 8, output_tokens: 4, web_searches: 1 },
  },
  {
    name: "Gemini",
    provider: "google",
    path: "/v1beta/models/gemini-2.5-flash:generateContent",
    request: { contents: [] },
    answer: {
      modelVersion: "gemini-2.5-flash",
      candidates: [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 2, thoughtsTokenCount: 3 },
    },
    usage: { input_tokens: 6, output_tokens: 5, reasoning_tokens: 3 },
  },
  {
    name: "a stream of Gemini's that is an array",
    provider: "google",
    path: "/v1beta/models/gemini-2.5-flash:streamGenerateContent",
    request: { contents: [] },
    answer: [
      { candidates: [{ content: { parts: [{ text: "h" }] } }], usageMetadata: { promptTokenCount: 6 } },
      {
        candidates: [{ content: { parts: [{ text: "i" }] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 2 },
      },
    ],
    usage: { input_tokens: 6, output_tokens: 2 },
  },
  {
    name: "OpenRouter, which says what it costs",
    provider: "openrouter",
    path: "/chat/completions",
    request: { model: "some/model", messages: [] },
    answer: { model: "some/model", choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, cost: 0.25 } },
    usage: { input_tokens: 9, output_tokens: 4, cost_usd: 0.25 },
  },
];

test.each(whole)("a whole answer of $name comes back byte for byte, and its usage is told", async (one) => {
  const bytes = Buffer.from(`  ${JSON.stringify(one.answer, null, 1)}\n`);
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "x-own": "yes" }).end(bytes);
  });
  await using gateway = await openTestGateway({ provider: one.provider, url: `${server.url}v1` });
  const answer = await fetch(gateway.url + one.path, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.token}` },
    body: JSON.stringify(one.request),
  });
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
  expect(answer.headers.get("x-own")).toBe("yes");
  expect((await gateway.ended())[0]).toMatchObject(one.usage);
});

test("an error of the provider's comes back as it is, and counts for nothing", async () => {
  const body = '{"type":"error","error":{"type":"overloaded_error","message":"later"}}';
  await using server = await startHttpServer((_, response) => {
    response.writeHead(529, { "content-type": "application/json", "retry-after": "7" }).end(body);
  });
  await using gateway = await openTestGateway({ url: server.url });
  const answer = await fetch(`${gateway.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": gateway.token },
    body: '{"model":"claude-sonnet-4-5","max_tokens":1}',
  });
  expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([529, "7", body]);
  expect(await gateway.ended()).toEqual([null]);
});

test("a provider that can't be reached is an error in its own shape, and counts for nothing", async () => {
  await using gateway = await openTestGateway({ provider: "openai", url: await addressOfNobody() });
  const answer = await fetch(`${gateway.url}/responses`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.token}` },
    body: '{"model":"gpt-5","input":"hi"}',
  });
  expect(answer.status).toBe(502);
  expect(await answer.json()).toMatchObject({
    error: { type: "server_error", message: expect.stringContaining("can't be reached") },
  });
  expect(await gateway.ended()).toEqual([null]);
});

test("a stream without usage is told as an estimate", async () => {
  const text = "x".repeat(300);
  await using server = await startHttpServer((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      `data: ${JSON.stringify({ model: "gpt-4.1", choices: [{ delta: { content: text } }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  await using gateway = await openTestGateway({ provider: "openai", url: server.url });
  const answer = await fetch(`${gateway.url}/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${gateway.token}` },
    body: '{"model":"gpt-4.1","stream":true}',
  });
  await answer.text();
  expect((await gateway.ended())[0]).toMatchObject({ model: "gpt-4.1", output_tokens: 100, estimated: true });
});
