import { once } from "node:events";
import { request } from "node:http";
import { connect as connectSocket } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commandsToken, issueToken, revokeToken } from "../../../journal/access/tokens.ts";
import { allTools, ownersTools } from "../../../protocol/settings/packs.ts";
import { patienceMs } from "../../support/patience.ts";
import { callTool, connect, makeJournal, startTools, type ToolsServer } from "../tools-server.ts";

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const folder = makeJournal("example");
const { journal } = folder;
let server: ToolsServer;
let token: string;

beforeAll(async () => {
  server = await startTools(journal);
  token = await issueToken(journal, "1736380800000", ["search_journal", "get_facet"]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** Waits until a server's log says something: it comes by a pipe, when the server may long be there. */
const untilSaid = (by: ToolsServer, what: string) =>
  vi.waitUntil(() => by.stderr().includes(what), { timeout: patienceMs });

/** As `fetch` doesn't let one set Host or Origin. */
function send(options: {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const { path = "/mcp", method = "POST", headers = {}, body } = options;
    const sent = request({ host: "127.0.0.1", port: server.port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const mcpHeaders = (bearer: string) => ({
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
  Authorization: `Bearer ${bearer}`,
});

describe("who gets in", () => {
  test("nobody without a token that is valid at that moment", async () => {
    const gone = await issueToken(journal, "1736380800001", ["get_facet"]);
    await revokeToken(journal, gone);
    const bad = [
      undefined,
      "Bearer",
      `Basic ${token}`,
      "Bearer undefined",
      "Bearer ../../commands-token",
      `Bearer ${gone}`,
      `Bearer ${token}x`,
    ];
    for (const Authorization of bad) {
      const { Authorization: _, ...others } = mcpHeaders(token);
      const headers = Authorization === undefined ? others : { ...others, Authorization };
      const { status, headers: answered } = await send({ headers, body: JSON.stringify(list) });
      expect([Authorization, status]).toEqual([Authorization, 401]);
      expect(answered["www-authenticate"]).toContain("Bearer");
    }
    const { status } = await send({ path: `/mcp?token=${token}`, body: JSON.stringify(list) });
    expect(status, "a token in the query string").toBe(401);
  });

  test("no page from elsewhere, whatever it knows", async () => {
    const strangers: Record<string, string>[] = [
      { Host: "evil.example" },
      { Host: `evil.example:${server.port}` },
      { Origin: "http://evil.example" },
      { Origin: "null" },
    ];
    for (const foreign of strangers) {
      const { status } = await send({
        headers: { ...mcpHeaders(token), ...foreign },
        body: JSON.stringify(list),
      });
      expect([foreign, status]).toEqual([foreign, 403]);
    }
    expect((await send({ path: "/health", method: "GET", headers: { Host: "evil.example" } })).status).toBe(403);
  });

  test("its own names and a page of its own do", async () => {
    for (const Host of [`localhost:${server.port}`, `[::1]:${server.port}`]) {
      const { status } = await send({
        headers: { ...mcpHeaders(token), Host, Origin: `http://${Host}` },
        body: JSON.stringify(list),
      });
      expect([Host, status]).toEqual([Host, 200]);
    }
  });

  test("anybody may ask for its health, and hears which process it is", async () => {
    const { status, text } = await send({ path: "/health", method: "GET" });
    expect([status, JSON.parse(text)]).toEqual([200, { ok: true, pid: server.child.pid }]);
  });
});

describe("what it takes", () => {
  test("a body above 4 MiB is refused, with and without its length announced", async () => {
    const body = JSON.stringify({ ...list, params: { filler: "x".repeat(5 * 1024 * 1024) } });
    expect(
      (await send({ headers: { ...mcpHeaders(token), "Content-Length": String(Buffer.byteLength(body)) }, body }))
        .status,
    ).toBe(413);
    expect((await send({ headers: { ...mcpHeaders(token), "Transfer-Encoding": "chunked" }, body })).status).toBe(413);
  });

  test("no JSON, no message, the wrong method and the wrong path get an answer each", async () => {
    const headers = mcpHeaders(token);
    expect((await send({ headers, body: "{" })).status).toBe(400);
    const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_facet","arguments":{"a":${"[".repeat(6000)}${"]".repeat(6000)}}}}`;
    expect(await send({ headers, body: deep })).toMatchObject({
      status: 400,
      text: expect.stringContaining("nested deeper than the 64 levels"),
    });
    expect((await send({ headers, body: '{"a":1}' })).status).toBe(400);
    expect((await send({ headers, method: "GET" })).status).toBe(405);
    expect((await send({ headers, method: "DELETE" })).status).toBe(405);
    expect((await send({ headers, path: "/other" })).status).toBe(404);
    expect((await send({ headers, path: "/health", body: "" })).status).toBe(404);
  });

  test("a protocol version of nobody's, and what isn't asked for as the protocol says, get an answer each", async () => {
    const headers = mcpHeaders(token);
    const body = JSON.stringify(list);
    const statuses = [
      { ...headers, "MCP-Protocol-Version": "1999-01-01" },
      { ...headers, Accept: "text/html" },
      { ...headers, "Content-Type": "text/plain" },
      { ...headers, "MCP-Protocol-Version": "2025-06-18", "Mcp-Session-Id": "of a server before this one" },
      { ...headers, "Mcp-Session-Id": "x".repeat(5_000) },
    ].map(async (sent) => (await send({ headers: sent, body })).status);
    expect(await Promise.all(statuses)).toEqual([400, 406, 415, 200, 200]);
  });

  test("an unknown method, wrong parameters and an unknown version are answered as JSON-RPC says", async () => {
    const ask = async (message: object) =>
      JSON.parse(
        (await send({ headers: mcpHeaders(token), body: JSON.stringify({ jsonrpc: "2.0", id: 7, ...message }) })).text,
      );
    expect(await ask({ method: "tools/explode" })).toMatchObject({ id: 7, error: { code: -32601 } });
    expect(await ask({ method: "__proto__" })).toMatchObject({ id: 7, error: { code: -32601 } });
    expect(await ask({ method: "tools/call", params: { name: 5 } })).toMatchObject({ id: 7, error: { code: -32602 } });
    const clientInfo = { name: "t", version: "1" };
    const params = { protocolVersion: "1999-01-01", capabilities: {}, clientInfo };
    expect(await ask({ method: "initialize", params })).toMatchObject({
      id: 7,
      result: { protocolVersion: "2025-11-25" },
    });
  });

  test("a batch of the older protocol is answered as one; one of thousands is refused", async () => {
    const headers = mcpHeaders(token);
    const batch = (length: number) =>
      JSON.stringify(Array.from({ length }, (_, id) => ({ ...list, id, method: "ping" })));
    const { status, text } = await send({ headers, body: batch(10) });
    expect([status, JSON.parse(text).length]).toEqual([200, 10]);
    expect((await send({ headers, body: batch(10_000) })).status).toBe(400);
    expect((await send({ headers, body: "[]" })).status).toBeLessThan(500);
  });

  test("arguments of any depth and size end in a result, and the server goes on", async () => {
    const call = (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_facet","arguments":${args}}}`;
    const deep = `{"facet":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n])));
    const long = JSON.stringify({ facet: "x".repeat(3_000_000) });
    for (const args of [deep, wide, long, "[]", "5", "null", '{"__proto__":{"facet":"garden"}}']) {
      const { status, text } = await send({ headers: mcpHeaders(token), body: call(args) });
      expect([args.slice(0, 20), status]).toEqual([
        args.slice(0, 20),
        expect.toSatisfy((code) => code === 200 || code === 400),
      ]);
      expect(text.length).toBeLessThan(20_000);
    }
    expect((await send({ headers: mcpHeaders(token), body: JSON.stringify(list) })).status).toBe(200);
  });

  test("a hundred calls at once are all answered", async () => {
    const body = (id: number) =>
      JSON.stringify({
        jsonrpc: "2.0",
        id,
        method: "tools/call",
        params: { name: "search_journal", arguments: { query: `garden ${id}` } },
      });
    const answers = Array.from({ length: 100 }, (_, id) => send({ headers: mcpHeaders(token), body: body(id) }));
    for (const [id, { text }] of (await Promise.all(answers)).entries())
      expect(JSON.parse(text)).toMatchObject({ id, result: { content: [{ type: "text" }] } });
  });

  test("a client that never ends its request, or never reads its answer, keeps nobody else waiting", async () => {
    const head = Object.entries({ Host: `127.0.0.1:${server.port}`, ...mcpHeaders(token) });
    const lines = head.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const idle = Array.from({ length: 50 }, () => {
      const socket = connectSocket(server.port, "127.0.0.1").pause();
      socket.write(`POST /mcp HTTP/1.1\r\n${lines}Content-Length: 100000\r\n\r\n{"jsonrpc"`);
      return socket;
    });
    expect((await send({ headers: mcpHeaders(token), body: JSON.stringify(list) })).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });

  test("garbage on the socket ends that connection and nothing else", async () => {
    const socket = connectSocket(server.port, "127.0.0.1").on("error", () => {});
    socket.write("\0\xff garbage\r\n\r\n");
    socket.resume();
    await new Promise((resolve) => socket.once("close", resolve));
    expect((await send({ path: "/health", method: "GET" })).status).toBe(200);
  });
});

describe("what a token gives", () => {
  test("a run sees its own tools, and is refused the rest by name", async () => {
    await using client = await connect(server.url, token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_journal", "get_facet"]);
    expect(tools[0]).toMatchObject({
      annotations: { readOnlyHint: true },
      inputSchema: { type: "object", required: ["query"] },
    });
    for (const name of ["get_resource", "no_such_tool", "__proto__"]) {
      const { text, isError } = await callTool(client, name, { path: "20250106/notes.md" });
      expect([isError, text]).toEqual([true, `no tool "${name}" here: this run has search_journal, get_facet`]);
    }
  });

  test("a token that is revoked is refused with the next request", async () => {
    const short = await issueToken(journal, "1736380800002", ["get_facet"]);
    await using client = await connect(server.url, short);
    expect((await callTool(client, "get_facet", { facet: "garden" })).isError).toBe(false);
    await revokeToken(journal, short);
    await expect(client.callTool({ name: "get_facet", arguments: { facet: "garden" } })).rejects.toMatchObject({
      code: 401,
    });
  });

  test("the commands' own token has every tool that is offered", async () => {
    await using client = await connect(server.url, await commandsToken(journal));
    const { tools } = await client.listTools();
    // Nothing is there to search the web with.
    expect(tools.map(({ name }) => name)).toEqual(
      [...allTools, ...ownersTools].filter((name) => name !== "web_search"),
    );
  });

  test("no token is ever in the log", async () => {
    await using _client = await connect(server.url, token);
    await untilSaid(server, "ready");
    expect(server.stderr()).not.toContain(token);
    expect(server.stderr()).not.toContain(await commandsToken(journal));
  });
});

describe("the program", () => {
  test("ends in order, with code 0 and nothing on stderr but its log", async () => {
    using folder = makeJournal();
    await using own = await startTools(folder.journal, { CORTEX_LOG_LEVEL: "trace" });
    const isSaid = once(own.child, "close");
    expect(await own.stop()).toBe(0);
    await isSaid;
    for (const line of own.stderr().trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ name: "mcp-tools" });
  });

  test("settings that can't be read don't keep it down", async () => {
    using folder = makeJournal("example");
    writeFileSync(join(folder.journal, "cortex.json"), '{"mcp": {"port": "many"}}');
    await using own = await startTools(folder.journal, { CORTEX_MCP_PORT: "" });
    expect(own.port).toBeGreaterThan(0);
    await untilSaid(own, "cortex.json");
  });
});
