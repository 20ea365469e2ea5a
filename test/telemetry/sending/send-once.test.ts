import { describe, expect, test } from "vitest";
import { sendOnce, waitOf } from "../../../telemetry/sending/send-once.ts";
import { startHttpServer } from "../../support/network/http-server.ts";
import { addressOfNobody } from "../../support/network/own-port.ts";

const outgoing = { path: "v1/traces" as const, body: '{"resourceSpans":[]}' };
const never = new AbortController().signal;

describe("an answer means", () => {
  test.each([
    [200, "{}", {}, { is: "accepted" }],
    [200, "", {}, { is: "accepted" }],
    [202, "thanks", {}, { is: "accepted" }],
    [200, '{"partialSuccess":{}}', {}, { is: "accepted" }],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}',
      {},
      { is: "accepted", warning: "3 rejected: too old" },
    ],
    [200, '{"partialSuccess":{"rejectedDataPoints":2}}', {}, { is: "accepted", warning: "2 rejected" }],
    [200, '{"partialSuccess":{"errorMessage":"use gzip"}}', {}, { is: "accepted", warning: "0 rejected: use gzip" }],
    [400, '{"message":"bad"}', {}, { is: "refused", status: 400, why: 'status 400: {"message":"bad"}' }],
    [401, "", {}, { is: "refused", status: 401, why: "status 401" }],
    [302, "", { location: "/login" }, { is: "refused", status: 302, why: "status 302" }],
    [500, "oops", {}, { is: "refused", status: 500, why: "status 500: oops" }],
    [429, "", { "retry-after": "7" }, { is: "unanswered", why: "status 429", afterMs: 7000 }],
    [503, "busy", {}, { is: "unanswered", why: "status 503: busy" }],
    [502, "", {}, { is: "unanswered", why: "status 502" }],
    [504, "", {}, { is: "unanswered", why: "status 504" }],
  ])("%i %j", async (status, said, headers, outcome) => {
    await using server = await startHttpServer((request, response) => {
      request.resume();
      response.writeHead(status, headers).end(said);
    });
    expect(await sendOnce({ otlp_url: server.url }, outgoing, never)).toEqual(outcome);
  });
});

test("a status that has come counts, also where the answer breaks off behind it", async () => {
  await using server = await startHttpServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"partial', () => response.destroy());
  });
  expect(await sendOnce({ otlp_url: server.url }, outgoing, never)).toEqual({
    is: "accepted",
    warning: "its answer broke off",
  });
});

test("a connection that breaks before the status, and one that there isn't, leave it unanswered", async () => {
  await using server = await startHttpServer((_, response) => response.destroy());
  for (const otlp_url of [server.url, await addressOfNobody()])
    expect(await sendOnce({ otlp_url }, outgoing, never)).toMatchObject({ is: "unanswered" });
});

test("who waits no longer has no answer", async () => {
  await using server = await startHttpServer(() => {});
  const signal = AbortSignal.timeout(50);
  expect(await sendOnce({ otlp_url: server.url }, outgoing, signal)).toMatchObject({ is: "unanswered" });
});

test("a request goes below the receiver's address, with its headers, as JSON", async () => {
  const asked: unknown[] = [];
  await using server = await startHttpServer((request, response) => {
    request.resume();
    const { authorization, "content-type": type } = request.headers;
    asked.push([request.method, request.url, authorization, type]);
    response.end("{}");
  });
  const headers = { Authorization: "Basic c2VjcmV0LXZhbHVl", "Content-Type": "text/plain" };
  for (const otlp_url of [server.url, `${server.url}otlp`, `${server.url}otlp/`])
    await sendOnce({ otlp_url, headers }, outgoing, never);
  const rest = [headers.Authorization, "application/json"];
  expect(asked).toEqual([
    ["POST", "/v1/traces", ...rest],
    ["POST", "/otlp/v1/traces", ...rest],
    ["POST", "/otlp/v1/traces", ...rest],
  ]);
});

test("what a receiver says back of the headers' values isn't told on", async () => {
  const secret = "Bearer very-secret-token";
  await using server = await startHttpServer((request, response) => {
    request.resume();
    response.writeHead(403).end(`no right for ${request.headers.authorization}`);
  });
  const outcome = await sendOnce({ otlp_url: server.url, headers: { authorization: secret } }, outgoing, never);
  expect(outcome).toEqual({ is: "refused", status: 403, why: "status 403: no right for ***" });
});

describe("Retry-After", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  test.each([
    [null, undefined],
    ["0", 0],
    ["30", 30_000],
    ["999999", 600_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
    ["Wed, 31 Dec 2025 00:00:00 GMT", 0],
    ["soon", undefined],
  ])("%j is %j ms", (header, ms) => expect(waitOf(header, now)).toBe(ms));
});
