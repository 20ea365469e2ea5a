import { afterAll, beforeAll, expect, test } from "vitest";
import { anthropic } from "../../../backends/anthropic/provider.ts";
import { runScript, testRun } from "../../support/backends/agent-run.ts";
import { environmentOf, key, rawStream, runOn, runWith, textEvents } from "../../support/backends/anthropic-run.ts";
import { addressOfNobody } from "../../support/network/own-port.ts";
import { errorBody, startAnthropic } from "../../support/providers/anthropic.ts";
import type { Reply } from "../../support/providers/played.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";

let tools: ToolServer;
beforeAll(async () => {
  tools = await startToolServer();
});
afterAll(() => tools[Symbol.asyncDispose]());

const answer: Reply = { turn: { text: "ok" } };
const failing = (status: number, type: string, message: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: errorBody(type, message),
});
/** From when it is sent, however long the tests before took. */
const inNinetySeconds = {
  get "retry-after"() {
    return new Date(Date.now() + 90_000).toUTCString();
  },
};

test.each([
  ["seconds", { "retry-after": "7" }, 7_000, 7_000],
  ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1_500, 1_500],
  ["a date", inNinetySeconds, 60_000, 90_000],
])("429 is tried again after what the API asks for, in %s", async (_, headers, least, most) => {
  const { run, last, played } = await runWith([failing(429, "rate_limit_error", "slow down", headers), answer]);
  expect(last).toMatchObject({ event: "finish", result: "ok" });
  expect(run.named("retry")).toMatchObject([{ attempt: 1, reason: "anthropic answered 429: slow down" }]);
  expect(run.clock.slept[0]).toBeGreaterThanOrEqual(least);
  expect(run.clock.slept[0]).toBeLessThanOrEqual(most);
  expect(played.requests).toHaveLength(2);
});

test.each([
  ["529", [failing(529, "overloaded_error", "Overloaded")], ["anthropic answered 529: Overloaded"]],
  ["500", [failing(500, "api_error", "Internal server error")], ["anthropic answered 500: Internal server error"]],
  [
    "503 twice",
    [
      { status: 503, body: "<html><h1>Service Unavailable</h1></html>" },
      { status: 503, body: "" },
    ],
    [
      "anthropic answered 503: a page instead of an answer, from a proxy perhaps: <html><h1>Service Unavailable</h1></html>",
      "anthropic answered 503: status code (no body)",
    ],
  ],
] satisfies [string, Reply[], string[]][])("%s passes", async (_, failures, reasons) => {
  const { run, last } = await runWith([...failures, answer]);
  expect(last).toMatchObject({ event: "finish", result: "ok" });
  expect(run.named("retry").map(({ reason }) => reason)).toEqual(reasons);
});

test.each([
  ["overloaded_error", "Overloaded", "anthropic answered 529: Overloaded"],
  ["api_error", "Oops", "anthropic answered 500: Oops"],
  ["an_error_of_tomorrow", "New", "anthropic answered 500: New"],
])("%s inside of the stream is tried again, and nothing is doubled", async (type, message, reason) => {
  const { run, last } = await runWith([
    rawStream(["message_start", { message: { usage: { input_tokens: 9 } } }], ...textEvents("half"), [
      "error",
      { error: { type, message } },
    ]),
    answer,
  ]);
  expect(last).toMatchObject({ event: "finish", result: "ok" });
  expect(run.named("retry")).toMatchObject([{ reason }]);
  // What the broken stream used is paid for as well.
  expect(run.named("usage")).toMatchObject([{ input_tokens: 9 }, { input_tokens: 100 }]);
});

test("invalid_request_error inside of the stream ends the run", async () => {
  const { last, played } = await runWith([
    rawStream(["error", { error: { type: "invalid_request_error", message: "no" } }]),
  ]);
  expect(last).toMatchObject({ event: "error", reason: "provider", error: "anthropic answered 400: no" });
  expect(played.requests).toHaveLength(1);
});

const cuts = (["between-events", "inside-event", "inside-call"] as const).flatMap((cut) =>
  (["end", "reset"] as const).map((by) => ({ cut, by })),
);

test.each(cuts)(
  "a stream that is cut $cut by $by is asked again: no half call, nothing doubled",
  async ({ cut, by }) => {
    const turn = { thinking: "Hm.", text: "Let me see.", calls: [{ tool: "echo", args: { text: "one" } }] };
    await using played = await startAnthropic([{ turn, cut, by }, { turn }, answer]);
    const run = await runOn(played, { mcp_server_url: tools.url, thinking_budget: 1024 });
    expect(played.refusals).toEqual([]);
    expect(run.named("retry")).toHaveLength(1);
    expect(run.named("thinking", "text", "tool_start", "tool_end", "finish").map(({ event }) => event)).toEqual([
      "thinking",
      "text",
      "tool_start",
      "tool_end",
      "finish",
    ]);
    expect(run.named("text")).toEqual([{ event: "text", text: "Let me see." }]);
  },
);

test("a stream with an event that isn't JSON is asked again", async () => {
  const { run, last } = await runWith([rawStream(["message_start", "{nonsense"]), answer]);
  expect(last).toMatchObject({ event: "finish" });
  expect(run.named("retry")).toMatchObject([{ reason: expect.stringContaining("the connection to anthropic broke") }]);
});

const stream = (body: string): Reply => ({ status: 200, headers: { "content-type": "text/event-stream" }, body });

test.each([
  ["a page with status 200", { status: 200, body: "<html>Log in</html>" }, "unreadable"],
  ["JSON that isn't a stream", { status: 200, body: { hello: 1 } }, "unreadable"],
  ["a stream that isn't JSON", rawStream(["message_start", "{nonsense"]), "unreadable"],
  ["events of another shape", rawStream(["message_start", {}]), "unreadable"],
  ["a stream without an event", stream("data: {garbage\n\n"), "unreadable"],
  ["a stream with nothing in it", stream(""), "unreadable"],
  ["a stream that breaks off", { turn: { text: "Let me see." }, cut: "between-events" }, "unavailable"],
  ["a model that isn't there", failing(404, "not_found_error", "model: claude-9"), "rejected"],
  ["an account without credit", failing(402, "billing_error", "no credit"), "rejected"],
  ["a request that isn't taken", failing(400, "invalid_request_error", "no"), "rejected"],
] satisfies [string, Reply, string][])("a failure with %s stands in the error's detail", async (_, reply, detail) => {
  const { last } = await runWith(Array.from({ length: 8 }, () => reply));
  expect(last).toMatchObject({ event: "error", reason: "provider", detail });
});

test("a server that isn't there is tried eight times", async () => {
  const run = await runOn({ url: await addressOfNobody() });
  expect(run.named("retry")).toHaveLength(7);
  expect(run.events.at(-1)).toMatchObject({ reason: "provider", error: expect.stringContaining("ECONNREFUSED") });
});

test.each([
  failing(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
  failing(400, "invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"),
  failing(413, "request_too_large", "Request exceeds the maximum size"),
])("a conversation that is too long is told as that (%#)", async (reply) => {
  const { last, played } = await runWith([reply]);
  expect(last).toMatchObject({
    event: "error",
    reason: "provider",
    detail: "too_long",
    error: expect.stringMatching(/^the conversation is longer than the model takes \(4\d\d\): begin a new run/),
  });
  expect(played.requests).toHaveLength(1);
});

test.each([
  failing(401, "authentication_error", `invalid x-api-key: ${key}`),
  failing(403, "permission_error", `${key} may not use this model`),
])("a refused key is told as that, without the key, though the server echoes it (%#)", async (reply) => {
  const { run, last, played } = await runWith([reply]);
  expect(last).toMatchObject({
    event: "error",
    reason: "config",
    error: expect.stringMatching(/^anthropic refused the key \(40[13]\): check ANTHROPIC_API_KEY\. It says: .*\*\*\*/),
  });
  expect(JSON.stringify(run.events)).not.toContain(key);
  expect(played.requests).toHaveLength(1);
});

test.each([
  ["as a failure", { status: 502, body: `<!DOCTYPE html><p>${key}</p>` }, 8],
  ["with status 200", { status: 200, body: `<html><p>Log in, ${key}</p></html>` }, 1],
] satisfies [string, Reply, number][])("a page of a proxy, %s, is told as that", async (_, reply, times) => {
  const { run, last, played } = await runWith(Array.from({ length: 8 }, () => reply));
  expect(last).toMatchObject({
    event: "error",
    reason: "provider",
    error: expect.stringMatching(/a page instead of an answer, from a proxy perhaps: <.*\*\*\*/),
  });
  expect(JSON.stringify(run.events)).not.toContain(key);
  expect(played.requests).toHaveLength(times);
});

test("a redirect isn't followed: it would carry the key elsewhere", async () => {
  await using elsewhere = await startAnthropic([answer]);
  const location = `${elsewhere.url}/v1/messages`;
  const { last } = await runWith([{ status: 307, headers: { location }, body: "" }]);
  expect(last).toMatchObject({ event: "error", error: expect.stringContaining("answered 307") });
  expect(elsewhere.requests).toEqual([]);
});

test("silence after the headers: a cancelled run ends at once, and hangs up", async () => {
  await using played = await startAnthropic([{ silent: true }]);
  const provider = anthropic(environmentOf(played));
  const run = testRun({});
  const ended = runScript(run, provider);
  await expect.poll(() => played.requests.length).toBe(1);
  run.cancel();
  expect((await ended).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  await played.left;
});

test("a reader that leaves in the middle hangs up", async () => {
  await using played = await startAnthropic([{ turn: { text: "ü".repeat(100_000) }, pieceBytes: 64 }]);
  const call = {
    model: "m",
    instruction: "",
    context: "",
    messages: [{ role: "user" as const, text: "hi" }],
    tools: [],
  };
  const stream = anthropic(environmentOf(played)).stream({ ...call, toolChoice: "none" }, new AbortController().signal);
  for await (const chunk of stream) if (chunk.type === "text") break;
  await played.left;
  expect(played.requests).toHaveLength(1);
});

test("a cancelled call reports its usage so far", async () => {
  await using played = await startAnthropic([{ turn: { text: "ü".repeat(100_000) }, pieceBytes: 64 }]);
  const run = testRun({ stream: true }, ({ event }) => event === "text_delta" && run.cancel());
  await runScript(run, anthropic(environmentOf(played)));
  expect(run.events.at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  expect(run.named("usage")).toMatchObject([{ input_tokens: 100, output_tokens: 1 }]);
});

test.each([
  ["no key", {}, "anthropic needs a key: set ANTHROPIC_API_KEY where cortex runs, or use --backend offline"],
  [
    "no key, and the API's own address",
    { ANTHROPIC_BASE_URL: "https://api.anthropic.com/" },
    "anthropic needs a key: set ANTHROPIC_API_KEY where cortex runs, or use --backend offline",
  ],
  [
    "an address that is none",
    { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: "nowhere" },
    "ANTHROPIC_BASE_URL isn't a URL: nowhere",
  ],
  [
    "a key with a line's end",
    { ANTHROPIC_API_KEY: `${key}\n` },
    "ANTHROPIC_API_KEY holds what no key does, such as a space or the end of a line: set it again",
  ],
])("%s: the run ends with what to do", async (_, environment, error) => {
  const run = testRun({});
  await runScript(run, anthropic(environment));
  expect(run.events.at(-1)).toEqual({ event: "error", reason: "config", error });
});

test("a server at another address may need no key: none is sent", async () => {
  await using played = await startAnthropic([answer]);
  const run = testRun({});
  await runScript(run, anthropic({ ANTHROPIC_BASE_URL: played.url }));
  expect(played.requests).toHaveLength(1);
  expect(played.requests[0]?.headers).not.toHaveProperty("x-api-key");
  expect(played.requests[0]?.headers).not.toHaveProperty("authorization");
});
