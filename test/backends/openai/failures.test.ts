import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { openai } from "../../../backends/openai/provider.ts";
import { runScript, type TestRun, testRun } from "../../support/backends/agent-run.ts";
import { addressOfNobody } from "../../support/network/own-port.ts";
import type { EventServer } from "../../support/providers/event-server.ts";
import { openaiError } from "../../support/providers/openai-errors.ts";
import { playChat, playOpenai } from "../../support/providers/openai.ts";
import type { Reply } from "../../support/providers/played.ts";
import { startToolServer } from "../../support/tool-server.ts";

const tools = await startToolServer();
afterAll(() => tools[Symbol.asyncDispose]());

const key = "sk-test-0123456789abcdef";
const apis = [
  { api: "responses", play: playOpenai },
  { api: "chat", play: playChat },
];
const last = (run: TestRun) => run.events.at(-1);

describe.each(apis)("$api", ({ api, play }) => {
  function runAt(url: string, config: Record<string, unknown> = {}, onEvent?: Parameters<typeof testRun>[1]): TestRun {
    const environment = { OPENAI_API_KEY: key, OPENAI_BASE_URL: url };
    return {
      ...testRun({ model: "m", openai: { api }, mcp_server_url: tools.url, stream: true, ...config }, onEvent),
      environment,
    };
  }

  async function ran(
    replies: Reply[],
    config?: Record<string, unknown>,
  ): Promise<{ run: TestRun; server: EventServer }> {
    await using server = await play(replies);
    const run = runAt(server.url, config);
    await runScript(run, openai(run.config, run.environment));
    return { run, server };
  }

  const failure = (status: number, message: string, headers: Record<string, string> = {}): Reply => ({
    status,
    headers,
    body: openaiError(message, null, null, "server_error"),
  });
  const fine: Reply = { turn: { text: "Hello." } };

  test.each([
    ["429 with a wait in seconds", 429, { "retry-after": "7" }, 7_000],
    ["429 with a wait in milliseconds", 429, { "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    ["529 without a wait", 529, {}, 2_000],
    ["503 with a date long past", 503, { "retry-after": "Wed, 21 Oct 2015 07:28:00 GMT" }, 0],
  ])("%s is tried again after that", async (_, status, headers, delay_ms) => {
    const { run, server } = await ran([failure(status, "Slow down.", headers), fine]);
    expect(run.named("retry")).toEqual([
      { event: "retry", attempt: 1, delay_ms, reason: `openai answered ${status}: Slow down.`, status },
    ]);
    expect(run.clock.slept).toEqual([delay_ms]);
    // The SDK would have tried by itself.
    expect(server.requests).toHaveLength(2);
    expect(last(run)).toMatchObject({ event: "finish", result: "Hello." });
  });

  test("429 with a wait until a date is tried again then", async () => {
    const until = new Date(Date.now() + 90_000).toUTCString();
    const { run } = await ran([failure(429, "Slow down.", { "retry-after": until }), fine]);
    // A date has no more than seconds, and the request took its time.
    expect(run.clock.slept[0]).toBeGreaterThan(50_000);
    expect(run.clock.slept[0]).toBeLessThanOrEqual(90_000);
    expect(last(run)).toMatchObject({ event: "finish" });
  });

  test("503 twice, then an answer: two retries are seen", async () => {
    const { run } = await ran([failure(503, "Away."), failure(503, "Away."), fine]);
    expect(run.clock.slept).toEqual([2_000, 4_000]);
    expect(last(run)).toMatchObject({ event: "finish", result: "Hello." });
  });

  const turn = { thinking: "hm", text: "I look.", calls: [{ tool: "echo", args: { text: "once" } }] };
  const cuts = (["between-events", "inside-event", "inside-call"] as const).flatMap((cut) =>
    (["end", "reset"] as const).map((by) => [cut, by] as const),
  );
  test.each(cuts)("a stream that is cut %s by %s is asked for again, and nothing of it is left", async (cut, by) => {
    const { run, server } = await ran([{ turn, cut, by }, { turn }, fine]);
    expect(server.refusals).toEqual([]);
    expect(run.named("retry")).toHaveLength(1);
    expect(run.named("thinking")).toHaveLength(1);
    expect(run.named("text")).toEqual([{ event: "text", text: "I look." }]);
    expect(run.named("tool_end")).toMatchObject([{ result: "once" }]);
    expect(last(run)).toMatchObject({ event: "finish", result: "Hello." });
  });

  test("a conversation that is too long says so, and isn't tried again", async () => {
    const message = "Your input exceeds the context window of this model. Please adjust your input and try again.";
    const { run, server } = await ran([
      { status: 400, body: openaiError(message, "context_length_exceeded", "input") },
    ]);
    expect(server.requests).toHaveLength(1);
    expect(last(run)).toMatchObject({
      event: "error",
      reason: "provider",
      error: expect.stringMatching(/^the conversation is longer than the model takes .*openai says: Your input/),
    });
  });

  test.each([401, 403])("a refused key (%i) is a matter of configuration, and isn't repeated", async (status) => {
    const message = `${"x".repeat(160)} Incorrect API key provided: ${key}.`;
    const { run, server } = await ran([{ status, body: openaiError(message, "invalid_api_key") }]);
    expect(server.requests).toHaveLength(1);
    expect(last(run)).toMatchObject({ reason: "config", error: expect.stringContaining("check OPENAI_API_KEY") });
    // Nor the part of it that a cut message would end in.
    expect(JSON.stringify(run.events)).not.toContain("sk-");
  });

  test.each([
    [502, 2],
    [404, 1],
  ])("a proxy's page with status %i is told from an answer", async (status, requests) => {
    const { run, server } = await ran([{ status, body: "<!DOCTYPE html><html>\n<h1>Bad gateway</h1>" }, fine]);
    expect(server.requests).toHaveLength(requests);
    const said = requests === 2 ? run.named("retry")[0]?.["reason"] : last(run)?.["error"];
    expect(said).toBe(
      `openai answered ${status}: a page instead of an answer, from a proxy perhaps: <!DOCTYPE html><html> <h1>Bad gateway</h1>`,
    );
  });

  test("a proxy's page with status 200 is no answer either", async () => {
    const { run, server } = await ran([{ status: 200, body: "<html>Log in to the hotel's network</html>" }]);
    expect(server.requests).toHaveLength(1);
    expect(last(run)).toMatchObject({
      event: "error",
      error: expect.stringContaining("Log in to the hotel's network"),
    });
  });

  test.each([
    ["that is the server's", { message: "The server had an error.", type: "server_error", code: "server_error" }, 1],
    ["of too many requests", { message: "Slow down.", code: "rate_limit_exceeded" }, 1],
    ["with a status of its own", { message: "Upstream is away.", code: 502 }, 1],
    ["that is the request's", { message: "No.", type: "invalid_request_error", code: "invalid_prompt" }, 0],
    ["of a conversation that is too long", { message: "Too long.", code: "context_length_exceeded" }, 0],
  ])("an error inside the stream %s", async (_, error, retries) => {
    const data = api === "chat" ? { error } : { ...error, type: "error" };
    const headers = { "content-type": "text/event-stream" };
    const { run } = await ran([{ status: 200, headers, body: `data: ${JSON.stringify(data)}\n\n` }, fine]);
    expect(run.named("retry")).toHaveLength(retries);
    expect(last(run)).toMatchObject({ event: retries === 1 ? "finish" : "error" });
    expect(JSON.stringify(run.events)).toContain(error.message);
  });

  test.each([
    ["isn't JSON", "data: {nonsense\n\n"],
    ["isn't what its type says", 'data: {"type":"response.completed","choices":7}\n\n'],
    ["is nothing at all", ""],
  ])("a stream that %s is tried again", async (_, body) => {
    const headers = { "content-type": "text/event-stream" };
    const { run } = await ran([{ status: 200, headers, body }, fine]);
    expect(run.named("retry")).toHaveLength(1);
    expect(last(run)).toMatchObject({ event: "finish", result: "Hello." });
    const never = await ran(Array.from({ length: 8 }, () => ({ status: 200, headers, body })));
    expect(last(never.run)).toMatchObject({ event: "error", detail: "unreadable" });
  });

  test("a cancelled run leaves a server that is silent behind its headers, and closes the connection", async () => {
    await using server = await play([{ silent: true }]);
    const run = runAt(server.url);
    const ended = runScript(run, openai(run.config, run.environment));
    while (server.requests.length === 0) await new Promise(setImmediate);
    run.cancel();
    await ended;
    await server.left;
    expect(last(run)).toMatchObject({ event: "error", reason: "cancelled" });
  });

  test("a cancelled run leaves a server that doesn't answer at all", async () => {
    const server = createServer(() => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const asked = once(server, "request");
    const run = runAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
    const ended = runScript(run, openai(run.config, run.environment));
    const [, response] = await asked;
    run.cancel();
    await ended;
    await once(response, "close");
    server.close();
    expect(last(run)).toMatchObject({ event: "error", reason: "cancelled" });
  });

  test("a reader that leaves closes the connection", async () => {
    // Long enough that it isn't sent before the reader has left.
    await using server = await play([{ turn: { text: "word ".repeat(20_000) }, pieceBytes: 1000 }]);
    const run = runAt(server.url);
    const provider = openai(run.config, run.environment);
    const messages = [{ role: "user" as const, text: "hi" }];
    const call = { model: "m", instruction: "", context: "", messages, tools: [], toolChoice: "none" as const };
    for await (const chunk of provider.stream(call, run.signal)) if (chunk.type === "text") break;
    await server.left;
    expect(server.requests).toHaveLength(1);
  });

  test("a server that isn't there is tried again", async () => {
    const run = runAt(`${await addressOfNobody()}v1`);
    await runScript(run, openai(run.config, run.environment));
    expect(run.named("retry")).toHaveLength(7);
    expect(last(run)).toMatchObject({
      reason: "provider",
      error: expect.stringMatching(/ECONNREFUSED.*tried 8 times/),
    });
  });
});

describe("Responses alone", () => {
  test.each([
    ["server_error", 1],
    ["invalid_prompt", 0],
  ])("a response that fails with %s has its usage counted", async (code, retries) => {
    const usage = { input_tokens: 9, output_tokens: 1, total_tokens: 10 };
    const response = { id: "resp_1", status: "failed", error: { code, message: "It broke." }, usage };
    const body = `event: response.failed\ndata: ${JSON.stringify({ type: "response.failed", response })}\n\n`;
    const headers = { "content-type": "text/event-stream" };
    await using server = await playOpenai([{ status: 200, headers, body }, { turn: { text: "ok" } }]);
    const environment = { OPENAI_API_KEY: key, OPENAI_BASE_URL: server.url };
    const run = { ...testRun({ model: "m", openai: { api: "responses" } }), environment };
    await runScript(run, openai(run.config, environment));
    expect(run.named("usage")[0]).toMatchObject({ input_tokens: 9, output_tokens: 1 });
    expect(run.named("retry")).toHaveLength(retries);
    expect(JSON.stringify(run.events)).toContain("It broke.");
  });
});

test.each([
  [{}, {}, /openai needs a key: set OPENAI_API_KEY/],
  [{ OPENAI_BASE_URL: "localhost:11434/v1" }, {}, /OPENAI_BASE_URL = "localhost:11434\/v1": expected a URL/],
  [{ OPENAI_BASE_URL: "http://localhost:11434/v1" }, { model: undefined }, /needs to know which model: choose one/],
  [{ OPENAI_API_KEY: key }, { openai: { api: "grpc" } }, /bad settings of openai/],
])("a missing setting is reported at once: %j %j", (environment, config, message) => {
  const run = testRun({ model: "m", ...config });
  expect(() => openai(run.config, environment)).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message), reason: "config" }),
  );
});
