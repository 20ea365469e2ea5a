/** Refusals of the gateway as each provider's own client reads them. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { MeteringAnswer } from "../../../protocol/runs/metering.ts";
import type { ModelProviderName } from "../../../protocol/settings/model-providers.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { openTestGateway, secretKey } from "../test-gateway.ts";

const hello = [{ role: "user" as const, content: "hi" }];

/** A call by the client that programs use, its own retries left on. */
type Call = (baseURL: string, apiKey: string) => Promise<unknown>;

const clients: { name: string; provider: ModelProviderName; call: Call; cap: object; token: object }[] = [
  {
    name: "Anthropic's",
    provider: "anthropic",
    call: async (baseURL, apiKey) =>
      new Anthropic({ baseURL, apiKey }).messages.create({ model: "claude-sonnet-5", max_tokens: 9, messages: hello }),
    cap: { status: 402, error: { type: "error", error: { type: "billing_error" } } },
    token: { status: 401, error: { type: "error", error: { type: "authentication_error" } } },
  },
  {
    name: "OpenAI's, Chat Completions,",
    provider: "openai",
    call: async (baseURL, apiKey) =>
      new OpenAI({ baseURL, apiKey }).chat.completions.create({ model: "gpt-5", messages: hello }),
    cap: { status: 402, type: "insufficient_quota", code: "insufficient_quota" },
    token: { status: 401, code: "invalid_api_key" },
  },
  {
    name: "OpenAI's, a stream of Responses,",
    provider: "openai",
    call: async (baseURL, apiKey) =>
      new OpenAI({ baseURL, apiKey }).responses.create({ model: "gpt-5", input: "hi", stream: true }),
    cap: { status: 402, type: "insufficient_quota", code: "insufficient_quota" },
    token: { status: 401, code: "invalid_api_key" },
  },
  {
    name: "OpenAI's, at OpenRouter,",
    provider: "openrouter",
    call: async (baseURL, apiKey) =>
      new OpenAI({ baseURL, apiKey }).chat.completions.create({ model: "some/model", messages: hello }),
    cap: { status: 402, type: "insufficient_quota" },
    token: { status: 401, code: "invalid_api_key" },
  },
  {
    name: "Google's",
    provider: "google",
    call: async (baseUrl, apiKey) =>
      new GoogleGenAI({ apiKey, httpOptions: { baseUrl } }).models.generateContent({
        model: "gemini-2.5-flash",
        contents: "hi",
      }),
    cap: { name: "ApiError", status: 402, message: expect.stringContaining("RESOURCE_EXHAUSTED") },
    token: { name: "ApiError", status: 401, message: expect.stringContaining("UNAUTHENTICATED") },
  },
];

describe.each(clients)("$name client", ({ provider, call, cap, token }) => {
  const words = "used 100 tokens, the limit max_total_tokens is 100";
  const atCap = (): MeteringAnswer => ({ ok: false, refused: "cap", error: words });

  test("hears of a cap in its provider's shape, and asks once", async () => {
    await using server = await startHttpServer((_, response) => void response.end("{}"));
    await using gateway = await openTestGateway({ provider, url: server.url, answer: atCap });
    const refused = call(gateway.url, gateway.token);
    await expect(refused).rejects.toMatchObject(cap);
    await expect(refused).rejects.toThrow(words);
    expect(gateway.notices).toHaveLength(1);
    expect(server.connections()).toBe(0);
  });

  test("is refused with a real key of its provider's", async () => {
    await using server = await startHttpServer((_, response) => void response.end("{}"));
    await using gateway = await openTestGateway({ provider, url: server.url });
    await expect(call(gateway.url, secretKey)).rejects.toMatchObject(token);
    expect(gateway.notices).toEqual([]);
    expect(server.connections()).toBe(0);
  });
});
