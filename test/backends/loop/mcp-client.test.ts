import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, test, vi } from "vitest";
import { RunFailure } from "../../../backends/provider/failure.ts";
import { connectTools } from "../../../backends/loop/calls/mcp-client.ts";
import { keptConnections } from "../../support/network/kept-connections.ts";
import { addressOfNobody, ownPort } from "../../support/network/own-port.ts";
import { startToolServer, type ToolServer } from "../../support/tool-server.ts";
import { patienceMs } from "../../support/patience.ts";

const never = new AbortController().signal;
const named = { id: "call-1", isCutOff: false };
const connect = (
  server: { url: string },
  more: { token?: string; wanted?: string[] } = {},
  signal = never,
  patienceMs = 0,
) => connectTools({ url: server.url, token: undefined, wanted: undefined, ...more }, signal, patienceMs);
const patientMs = 60_000;

async function failureOf(promise: Promise<unknown>): Promise<RunFailure> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(RunFailure);
  return error as RunFailure;
}

test("the client lists all tools of a server, page by page", async () => {
  await using server = await startToolServer({ isPaged: true });
  await using tools = await connect(server);
  expect(tools.descriptions.map(({ name }) => name)).toEqual(["echo", "fail"]);
});

test("the client keeps only the tools that were wanted, and names those that aren't there", async () => {
  await using server = await startToolServer();
  await using tools = await connect(server, { wanted: ["echo", "todo_add"] });
  expect(tools.descriptions.map(({ name }) => name)).toEqual(["echo"]);
  expect(tools.missing).toEqual(["todo_add"]);
});

test("the token goes with each request", async () => {
  await using server = await startToolServer({ token: "secret" });
  await using tools = await connect(server, { token: "secret" });
  expect(await tools.call("echo", { text: "hi" }, never, named)).toEqual({ text: "hi", isError: false });
  expect(new Set(server.tokens)).toEqual(new Set(["Bearer secret"]));
});

test("a redirect isn't followed: the token stays with the address that it is for", async () => {
  await using server = await startToolServer();
  const failure = await failureOf(connect({ url: server.url.replace("/mcp", "/elsewhere") }, { token: "secret" }));
  expect(failure).toMatchObject({ reason: "provider", message: expect.stringContaining("redirect") });
  expect(server.tokens).toEqual(["Bearer secret"]);
});

test("a refused token is an error of configuration that doesn't show it", async () => {
  await using server = await startToolServer({ token: "secret" });
  const failure = await failureOf(connect(server, { token: "wr0ng" }));
  expect(failure).toMatchObject({
    reason: "config",
    message: `the tool server at ${server.url} refused the token (401): check mcp_token`,
  });
  expect(JSON.stringify(failure) + failure.stack).not.toContain("wr0ng");
});

test.each(["tools", "ftp://127.0.0.1/mcp", "file:///etc/passwd"])(
  "the address %s is an error of configuration",
  async (url) => {
    expect(await failureOf(connect({ url }))).toMatchObject({
      reason: "config",
      message: `mcp_server_url "${url}": expected an http or https address`,
    });
  },
);

test("a server that doesn't speak MCP is an error of configuration", async () => {
  await using server = await httpServer((_, response) => void response.writeHead(404).end());
  expect(await failureOf(connect(server))).toMatchObject({
    reason: "config",
    message: expect.stringContaining("speaks MCP"),
  });
});

test("a server that is away is an error that says so", async () => {
  expect(await failureOf(connect({ url: `${await addressOfNobody()}mcp` }))).toMatchObject({
    reason: "provider",
    message: expect.stringMatching(/the tool server at http.* can't be used: .*ECONNREFUSED/),
  });
});

test("a server that is started only now is waited for", async () => {
  const url = `http://127.0.0.1:${await ownPort()}/mcp`;
  const connecting = connect({ url }, {}, never, patientMs);
  // Nobody listens there yet, and it has tried.
  await expect(fetch(url)).rejects.toThrow();
  await using _server = await startToolServer({ port: Number(new URL(url).port) });
  await using tools = await connecting;
  expect(await tools.call("echo", { text: "hi" }, never, named)).toEqual({ text: "hi", isError: false });
});

test("a server that dies during a call and is started again is asked again, with the same call's id", async () => {
  const ids: unknown[] = [];
  const register = (isDying: boolean) => (server: McpServer) =>
    void server.registerTool("effect", {}, async ({ _meta }) => {
      ids.push(_meta?.["cortex/call_id"]);
      if (isDying) await dying[Symbol.asyncDispose]();
      return { content: [{ type: "text", text: "done" }] };
    });
  const port = await ownPort();
  const dying = await startToolServer({ port, hasSessions: true, register: register(true) });
  // With our token: only our own server knows a call by its id.
  await using tools = await connect(dying, { token: "ours" }, never, patientMs);
  const called = tools.call("effect", {}, never, named);
  await vi.waitUntil(() => ids.length === 1, patienceMs);
  await using _next = await startToolServer({ port, hasSessions: true, register: register(false) });
  expect(await called).toEqual({ text: "done", isError: false });
  expect(ids).toEqual([expect.any(String), ids[0]]);
});

test("a server that accepts and stays silent doesn't hold a cancelled run", async () => {
  const asked = Promise.withResolvers<void>();
  await using server = await httpServer(() => asked.resolve());
  const cancel = new AbortController();
  const connecting = connect(server, {}, cancel.signal).catch((error: unknown) => error);
  await asked.promise;
  cancel.abort(new Error("enough"));
  expect(await connecting).toEqual(new Error("enough"));
});

test("a server that was restarted has forgotten us: the call is made in a new session", async () => {
  await using server = await startToolServer({ hasSessions: true });
  await using tools = await connect(server);
  expect(await tools.call("echo", { text: "one" }, never, named)).toMatchObject({ text: "one" });
  server.forget();
  expect(await tools.call("echo", { text: "two" }, never, named)).toEqual({ text: "two", isError: false });
});

test.each([
  ["before its answer has begun", "wait", /fetch failed/],
  ["in the middle of its answer", "speak_then_wait", /went away before it answered/],
])("a server that dies %s is an error of that call", async (_, tool, message) => {
  for (const hasSessions of [true, false]) {
    const server = await startToolServer({ hasSessions });
    await using tools = await connect(server);
    const lost = tools.call(tool, {}, never, named).catch((error: unknown) => error);
    await server.waits.next();
    if (tool === "speak_then_wait") await vi.waitUntil(() => server.isAnswering(), patienceMs);
    await server[Symbol.asyncDispose]();
    expect(await lost).toMatchObject({ message: expect.stringMatching(message) });
  }
});

test("calls that follow each other closely aren't taken for lost", async () => {
  await using server = await startToolServer();
  await using tools = await connect(server);
  for (let round = 0; round < 20; round++)
    expect(await tools.call("echo", { text: `${round}` }, never, named)).toMatchObject({ text: `${round}` });
});

test("a result is bounded, and says how much was cut", async () => {
  await using server = await startToolServer();
  await using tools = await connect(server);
  const { text } = await tools.call("big", {}, never, named);
  expect(Buffer.byteLength(text)).toBeLessThan(257 * 1024);
  expect(text).toMatch(/^ü+\n\[cut: the first 256 KiB of 300 KiB\]$/);
});

test("a part of a result that isn't text is named", async () => {
  await using server = await startToolServer();
  await using tools = await connect(server);
  expect(await tools.call("picture", {}, never, named)).toEqual({
    text: "[image, image/png, 3 bytes: not shown]\n[notes: file:///notes.md]",
    isError: false,
  });
});

test("a result with nothing but structure is told as JSON", async () => {
  await using server = await startToolServer({
    register: (mcp) => void mcp.registerTool("facts", {}, () => ({ content: [], structuredContent: { a: 1 } })),
  });
  await using tools = await connect(server);
  expect(await tools.call("facts", {}, never, named)).toEqual({ text: '{"a":1}', isError: false });
});

async function httpServer(handler: RequestListener): Promise<Pick<ToolServer, "url"> & AsyncDisposable> {
  const server = createServer(keptConnections, handler);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, "close");
    },
  };
}
