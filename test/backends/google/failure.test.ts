import { describe, expect, test } from "vitest";
import { google } from "../../../backends/google/provider.ts";
import { AgentProcess } from "../../support/backends/agent-process.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { addressOfNobody } from "../../support/network/own-port.ts";
import { bodyOf, errorBody, eventOf, playGoogle } from "../../support/providers/google.ts";
import { startToolServer } from "../../support/tool-server.ts";
import { environmentOf, key, last, runGoogle } from "./played-run.ts";

const retryInfo = (retryDelay: string) => ({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
const busy = errorBody(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota).");
const ok = { turn: { text: "ok" } };

describe("what is tried again, and when", () => {
  /** From when it is sent, however long the tests before took. */
  const soon = {
    get "retry-after"() {
      return new Date(Date.now() + 90_000).toUTCString();
    },
  };
  test.each([
    ["retry-after in seconds", { status: 429, headers: { "retry-after": "7" }, body: busy }, 7_000],
    ["retry-after in milliseconds", { status: 429, headers: { "retry-after-ms": "1500" }, body: busy }, 1_500],
    ["retry-after as a date", { status: 429, headers: soon, body: busy }, undefined],
    [
      "a delay in the body",
      { status: 429, body: errorBody(429, "RESOURCE_EXHAUSTED", "Quota.", { "@type": "x" }, retryInfo("17s")) },
      17_000,
    ],
    [
      "a delay in the body with a fraction, in a list",
      {
        status: 429,
        headers: { "content-type": "application/json" },
        body: JSON.stringify([errorBody(429, "RESOURCE_EXHAUSTED", "Quota.", retryInfo("58.9343s"))]),
      },
      58_935,
    ],
    ["529", { status: 529, body: "" }, 2_000],
    ["a gateway's page", { status: 502, body: "<html><h1>Bad gateway</h1></html>" }, 2_000],
  ])("%s", async (_, reply, delay) => {
    await using server = await playGoogle([reply, ok]);
    const run = await runGoogle(server);
    expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
    expect(run.named("retry")).toHaveLength(1);
    if (delay !== undefined) expect(run.clock.slept).toEqual([delay]);
    else expect(run.clock.slept[0]).toBeGreaterThan(50_000);
  });

  test("503 twice, then it is fine", async () => {
    const away = { status: 503, body: errorBody(503, "UNAVAILABLE", "The model is overloaded.") };
    await using server = await playGoogle([away, away, ok]);
    const run = await runGoogle(server);
    expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
    expect(run.named("retry")).toEqual([
      {
        event: "retry",
        attempt: 1,
        delay_ms: 2_000,
        reason: "google answered 503: The model is overloaded.",
        status: 503,
      },
      {
        event: "retry",
        attempt: 2,
        delay_ms: 4_000,
        reason: "google answered 503: The model is overloaded.",
        status: 503,
      },
    ]);
    expect(server.requests).toHaveLength(3);
  });

  test("an error that comes as an event in the stream", async () => {
    const body = bodyOf(eventOf([{ text: "He" }]), errorBody(503, "UNAVAILABLE", "Overloaded.", retryInfo("3s")));
    const headers = { "content-type": "text/event-stream" };
    await using server = await playGoogle([{ status: 200, headers, body }, ok]);
    const run = await runGoogle(server);
    expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
    expect(run.named("retry")).toMatchObject([{ delay_ms: 3_000, reason: "google answered 503: Overloaded." }]);
  });

  test("a server that isn't there", async () => {
    const run = await runGoogle({ url: await addressOfNobody() });
    expect(run.clock.slept).toHaveLength(7);
    expect(last(run)).toMatchObject({ event: "error", reason: "provider" });
    expect(last(run)?.["error"]).toMatch(/the connection to google broke: .*ECONNREFUSED.*\(tried 8 times\)/);
  });
});

describe("a stream that breaks off is asked again", () => {
  const turn = { text: "Let me look into it.", calls: [{ tool: "echo", args: { text: "one" } }] };
  test.each(
    (["between-events", "inside-event", "inside-call"] as const).flatMap((cut) =>
      (["end", "reset"] as const).map((by) => ({ cut, by })),
    ),
  )("%j", async ({ cut, by }) => {
    await using tools = await startToolServer();
    await using server = await playGoogle([{ turn, cut, by }, { turn }, ok]);
    const run = await runGoogle(server, { mcp_server_url: tools.url, stream: true });
    expect(server.refusals).toEqual([]);
    expect(run.named("retry")).toHaveLength(1);
    expect(run.named("text")).toEqual([{ event: "text", text: turn.text }]);
    expect(run.named("tool_start")).toMatchObject([{ args: { text: "one" } }]);
    expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
  });

  test("a failed call reports its usage all the same", async () => {
    await using server = await playGoogle([{ turn, cut: "between-events" }, ok]);
    const run = await runGoogle(server, { model: "gemini-2.5-flash" });
    expect(run.named("usage")).toMatchObject([{ input_tokens: 100, output_tokens: 0 }, { output_tokens: 30 }]);
  });

  test("the SDK doesn't go on by itself, though the server gives it a token for that", async () => {
    const headers = { "content-type": "text/event-stream" };
    const body = bodyOf(eventOf([{ text: "He" }], { continuationToken: "dG9rZW4=" }));
    await using server = await playGoogle([{ status: 200, headers, body }, ok]);
    const run = await runGoogle(server);
    expect(server.refusals).toEqual([]);
    expect(run.named("retry")).toHaveLength(1);
    expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
  });

  test("an event that isn't JSON", async () => {
    const headers = { "content-type": "text/event-stream" };
    await using server = await playGoogle([{ status: 200, headers, body: "data: {broken}\n\n" }, ok]);
    const run = await runGoogle(server);
    expect(run.named("retry")).toHaveLength(1);
    expect(last(run)).toMatchObject({ event: "finish", result: "ok" });
  });
});

describe("what isn't tried again", () => {
  const invalid = (message: string, ...details: Record<string, unknown>[]) =>
    errorBody(400, "INVALID_ARGUMENT", message, ...details);
  const refusedKey = invalid(`API key not valid: ${key}. Please pass a valid API key.`, {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "API_KEY_INVALID",
    domain: "googleapis.com",
  });
  test.each([
    [400, refusedKey, "config", "google refused the key (400): check GEMINI_API_KEY. It says: API key not valid: ***."],
    [
      403,
      errorBody(403, "PERMISSION_DENIED", "Your API key was reported as leaked."),
      "config",
      "refused the key (403)",
    ],
    [
      400,
      invalid("The input token count (3475108) exceeds the maximum number of tokens allowed (1048576)."),
      "provider",
      "the conversation is longer than the model takes (400)",
    ],
    [413, "<html>Request Entity Too Large</html>", "provider", "the conversation is longer than the model takes (413)"],
    [
      404,
      errorBody(404, "NOT_FOUND", "models/gemini-9 is not found."),
      "provider",
      "google answered 404: models/gemini-9",
    ],
    [400, invalid("Invalid value at 'contents'."), "provider", "google answered 400: Invalid value at 'contents'."],
    [200, "<!doctype html><title>Log in to the hotel</title>", "provider", "a page instead of an answer"],
    [400, "", "provider", "google answered 400"],
  ])("%i %j", async (status, body, reason, message) => {
    await using server = await playGoogle([{ status, body }]);
    const run = await runGoogle(server);
    expect(last(run)).toMatchObject({ event: "error", reason, error: expect.stringContaining(message) });
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(run.events)).not.toContain(key);
  });

  test("a missing key and an impossible model's name are config errors", async () => {
    const run = testRun({});
    await runScript(run, google({}));
    expect(last(run)).toMatchObject({ reason: "config", error: expect.stringContaining("set GEMINI_API_KEY") });
    const other = testRun({ model: "../../v1/files?x=" });
    await runScript(other, google({ GEMINI_API_KEY: key }));
    expect(last(other)).toMatchObject({ reason: "config", error: expect.stringContaining('"../../v1/files?x="') });
  });

  test("a server of one's own that needs no key isn't sent one", async () => {
    await using server = await playGoogle([]);
    const run = testRun({});
    await runScript(run, google({ GOOGLE_GEMINI_BASE_URL: server.url }));
    expect(server.requests[0]?.headers).not.toHaveProperty("x-goog-api-key");
    expect(last(run)).toMatchObject({ reason: "config", error: expect.stringContaining("refused the key (403)") });
  });

  test("a key that the server echoes stands nowhere, in a process either", async () => {
    await using server = await playGoogle([{ status: 400, body: refusedKey }]);
    await using agent = new AgentProcess(environmentOf(server));
    agent.write({ prompt: "hello", backend: "google" }).end();
    expect(await agent.exit()).toBe(1);
    expect(agent.events.at(-1)).toMatchObject({ event: "error", reason: "config" });
    expect(JSON.stringify(agent.events) + agent.stderr).not.toContain(key);
  });
});
