/** Requests that nobody should send, and what becomes of them: none reaches a provider. */
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { type HttpServer, startHttpServer } from "../../support/network/http-server.ts";
import { openTestGateway, secretKey, type TestGateway } from "../test-gateway.ts";

const body = '{"model":"claude-sonnet-4-5","max_tokens":1}';

async function withProvider(use: (gateway: TestGateway, server: HttpServer) => Promise<void>): Promise<void> {
  await using server = await startHttpServer((_, response) => void response.end("{}"));
  await using gateway = await openTestGateway({ url: server.url });
  await use(gateway, server);
}

/** Sends a request as it is written, and returns the answer. @param isAll whether nothing more comes, nor is heard */
async function raw(port: number, text: string, isAll = false): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(text.replaceAll("\n", "\r\n"));
  if (isAll) socket.end();
  let answer = "";
  for await (const bytes of socket) answer += String(bytes);
  return answer;
}

const post = (gateway: TestGateway, path: string, headers: Record<string, string> = {}, text = body) =>
  raw(
    gateway.port,
    `POST ${path} HTTP/1.1\nHost: 127.0.0.1:${gateway.port}\nx-api-key: ${gateway.token}\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join("")}Content-Length: ${Buffer.byteLength(text)}\nConnection: close\n\n${text}`,
  );

test("only a run's own token is taken: no key, no token of the commands, none that is over", () =>
  withProvider(async (gateway, server) => {
    const refused = async (headers: Record<string, string>) => {
      const answer = await fetch(`${gateway.url}/v1/messages`, { method: "POST", headers, body });
      expect([answer.status, await answer.json()]).toMatchObject([
        401,
        { type: "error", error: { type: "authentication_error" } },
      ]);
    };
    await refused({});
    await refused({ "x-api-key": secretKey });
    await refused({ authorization: `Bearer ${await commandsToken(gateway.journal)}` });
    await refused({ authorization: "Bearer ../../etc/passwd" });
    const ok = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": gateway.token },
      body,
    });
    expect(ok.status).toBe(200);
    await gateway.revoke();
    await refused({ "x-api-key": gateway.token });
    expect(server.connections()).toBe(1);
  }));

test.each([
  "/anthropic/../openai/v1/messages",
  "/anthropic/v1/../v1/messages",
  "/anthropic/%2e%2e/v1/messages",
  "/anthropic//v1/messages",
  "/anthropic/v1/messages/batches",
  "/anthropic/v1/organizations/keys",
  "/anthropic/v1/files",
  "/anthropic\\v1\\messages",
  "/__proto__/v1/messages",
  "/v1/messages",
  "http://example.org/anthropic/v1/messages",
  "/anthropic/v1/messages\u00e4",
  `/anthropic/v1/${"m".repeat(5000)}`,
])("the path %s leads nowhere", (path) =>
  withProvider(async (gateway, server) => {
    expect(await post(gateway, path)).toMatch(/^HTTP\/1.1 (404|400) /);
    expect([server.connections(), gateway.notices]).toEqual([0, []]);
  }),
);

test("a provider that the run has no key for isn't there for it", () =>
  withProvider(async (gateway, server) => {
    expect(await post(gateway, "/openai/responses")).toMatch(/^HTTP\/1.1 403 /);
    expect(server.connections()).toBe(0);
  }));

test("pages from elsewhere are refused, and names that were made to point here", () =>
  withProvider(async (gateway, server) => {
    expect(await post(gateway, "/anthropic/v1/messages", { Origin: "https://evil.example" })).toMatch(/ 403 /);
    const head = `POST /anthropic/v1/messages HTTP/1.1\nHost: evil.example\nx-api-key: ${gateway.token}\n`;
    expect(await raw(gateway.port, `${head}Content-Length: 0\nConnection: close\n\n`)).toMatch(/ 403 /);
    expect(server.connections()).toBe(0);
  }));

test("what isn't a request for one answer is refused before the provider sees it", () =>
  withProvider(async (gateway, server) => {
    for (const text of ["", "[]", "not JSON", `{"a":${"[".repeat(500)}${"]".repeat(500)}}`])
      expect(await post(gateway, "/anthropic/v1/messages", {}, text), text.slice(0, 20)).toMatch(/ 400 /);
    expect(await post(gateway, "/anthropic/v1/messages", { "Content-Encoding": "gzip" })).toMatch(/ 400 /);
    const get = `GET /anthropic/v1/messages HTTP/1.1\nHost: 127.0.0.1:${gateway.port}\nx-api-key: ${gateway.token}\n`;
    expect(await raw(gateway.port, `${get}Connection: close\n\n`)).toMatch(/ 404 /);
    const upgrade = "Connection: Upgrade\nUpgrade: websocket\n\n";
    expect(await raw(gateway.port, get + upgrade)).toMatch(/ 404 /);
    expect([server.connections(), gateway.notices]).toEqual([0, []]);
  }));

test("two lengths, or a body that ends early, reach no provider", () =>
  withProvider(async (gateway, server) => {
    const head = `POST /anthropic/v1/messages HTTP/1.1\nHost: 127.0.0.1:${gateway.port}\nx-api-key: ${gateway.token}\n`;
    const smuggled = `${head}Content-Length: 5\nTransfer-Encoding: chunked\n\n0\n\n`;
    expect(await raw(gateway.port, smuggled)).toMatch(/^(HTTP\/1.1 400 |$)/);
    await raw(gateway.port, `${head}Content-Length: 500\n\n{}`, true);
    expect([server.connections(), gateway.notices]).toEqual([0, []]);
  }));

test("a request that is too long is refused", () =>
  withProvider(async (gateway, server) => {
    const answer = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": gateway.token },
      body: Buffer.alloc(64 * 1024 * 1024 + 1, " "),
    });
    expect([answer.status, await answer.json()]).toMatchObject([413, { error: { type: "request_too_large" } }]);
    expect(server.connections()).toBe(0);
  }));

test("of a client's headers neither the token nor those of its connection go on", async () => {
  const seen: Record<string, unknown>[] = [];
  await using server = await startHttpServer((request, response) => {
    seen.push({ ...request.headers, url: request.url });
    response.end("{}");
  });
  await using gateway = await openTestGateway({ url: `${server.url}below/` });
  const headers = {
    "X-Hop": "secret",
    Cookie: "a=b",
    Authorization: `Bearer ${gateway.token}`,
    "X-Forwarded-For": "1.2.3.4",
    "anthropic-beta": "one,two",
  };
  const path = `/anthropic/v1/messages?beta=true&key=${gateway.token}`;
  expect(await post(gateway, path, headers)).toMatch(/^HTTP\/1.1 200 /);
  const [first] = seen;
  expect(first).toMatchObject({
    "x-api-key": secretKey,
    "anthropic-beta": "one,two",
    url: "/below/v1/messages?beta=true",
  });
  for (const name of ["authorization", "cookie", "x-forwarded-for"]) expect(first).not.toHaveProperty(name);
});

test("whether somebody is there is answered without a token, and who it is by its pid", () =>
  withProvider(async (gateway, server) => {
    expect((await fetch(gateway.url, { method: "HEAD" })).status).toBe(200);
    expect(await (await fetch(`${gateway.origin}/health`)).json()).toEqual({ ok: true, pid: process.pid });
    expect(server.connections()).toBe(0);
  }));
