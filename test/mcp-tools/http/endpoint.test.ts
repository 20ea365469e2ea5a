/** The stateless protocol of 2026-07-28: over HTTP, with the official client of its era, and message by message. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { connectStateless, stateless } from "../../support/mcp/stateless-client.ts";
import { patienceMs } from "../../support/patience.ts";
import { makeJournal, startWithFixture, type ToolsServer } from "../tools-server.ts";

const version = stateless;
const folder = makeJournal("example");
const { journal } = folder;
let server: ToolsServer;
let token: string;

beforeAll(async () => {
  server = await startWithFixture(journal);
  token = await commandsToken(journal);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const connect = (bearer = token) => connectStateless(server.url, bearer);

const envelope = {
  "io.modelcontextprotocol/protocolVersion": version,
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Asked = { method: string; params?: Record<string, unknown>; meta?: object; headers?: Record<string, string> };

const post = ({ method, params = {}, meta, headers }: Asked, signal: AbortSignal | null = null) =>
  fetch(server.url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${token}`,
      "MCP-Protocol-Version": version,
      "Mcp-Method": method,
      ...(typeof params["name"] === "string" && { "Mcp-Name": params["name"] }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { ...envelope, ...meta } } }),
    signal,
  });

async function resultOf(asked: Asked): Promise<Record<string, unknown>> {
  const response = await post(asked);
  const { result } = (await response.json()) as { result: Record<string, unknown> };
  return result;
}

describe("with the official client", () => {
  test("tools are listed, in the same order each time, and called", async () => {
    await using client = await connect();
    expect(client.getProtocolEra()).toBe("modern");
    const [one, other] = [await client.listTools(), await client.listTools(undefined, { cacheMode: "refresh" })];
    expect(other).toEqual(one);
    expect(one.tools.map(({ name }) => name)).toContain("fixture.pid");
    const { content } = await client.callTool({ name: "get_facet", arguments: { facet: "garden" } });
    expect(content).toEqual([{ type: "text", text: expect.stringContaining("garden") }]);
  });

  test("a call tells of its progress, and notes what its request asked to be told", async () => {
    await using client = await connect();
    const [progress, notes]: [unknown[], unknown[]] = [[], []];
    client.setNotificationHandler("notifications/message", ({ params }) => void notes.push(params));
    const answer = await client.request(
      {
        method: "tools/call",
        params: { name: "fixture.work", arguments: {}, _meta: { "io.modelcontextprotocol/logLevel": "debug" } },
      },
      { onprogress: (word) => progress.push(word) },
    );
    expect(answer.content).toEqual([{ type: "text", text: "worked" }]);
    expect(progress.length).toBeGreaterThan(0);
    expect(progress).toEqual([1, 2, 3, 4, 5].slice(0, progress.length).map((done) => ({ progress: done, total: 5 })));
    const took = { level: "debug", logger: "fixture.work", data: expect.stringMatching(/^took \d+ ms$/) };
    await vi.waitFor(() => expect(notes).toContainEqual(took), { timeout: patienceMs, interval: 20 });
  });

  test("resources, prompts and completions are there", async () => {
    await using client = await connect();
    const { contents } = await client.readResource({ uri: "journal://facets/garden" });
    expect(contents).toEqual([expect.objectContaining({ mimeType: "text/markdown" })]);
    const { prompts } = await client.listPrompts();
    const [first] = prompts;
    expect(first).toBeDefined();
    const ref = { type: "ref/resource" as const, uri: "journal://facets/{facet}" };
    const { completion } = await client.complete({ ref, argument: { name: "facet", value: "g" } });
    expect(completion.values).toContain("garden");
    await expect(client.readResource({ uri: "journal://facets/nowhere" })).rejects.toMatchObject({
      code: -32602,
      data: { uri: "journal://facets/nowhere" },
    });
  });

  test("what is offered is what the token gives", async () => {
    await using user = await connect();
    const names = (capabilities: object = {}) => Object.keys(capabilities).toSorted();
    expect(names(user.getServerCapabilities())).toEqual([
      "completions",
      "extensions",
      "logging",
      "prompts",
      "resources",
      "tools",
    ]);
    await using run = await connect(await issueToken(journal, "1736380800000", ["get_facet"]));
    expect(names(run.getServerCapabilities())).toEqual(["logging", "tools"]);
    expect((await run.listTools()).tools.map(({ name }) => name)).toEqual(["get_facet"]);
  });
});

describe("message by message", () => {
  test("the server says what it speaks, and for how long its answers hold", async () => {
    expect(await resultOf({ method: "server/discover" })).toMatchObject({
      resultType: "complete",
      supportedVersions: [version],
      cacheScope: "private",
      ttlMs: 3_600_000,
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "cortex" } },
    });
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
      expect(await resultOf({ method })).toMatchObject({ cacheScope: "private", ttlMs: expect.any(Number) });
  });

  test("an answer is one piece of JSON until the call has something to tell", async () => {
    const typeOf = async (name: string, meta?: object) => {
      const response = await post({ method: "tools/call", params: { name, arguments: {} }, ...(meta && { meta }) });
      await response.text();
      return response.headers.get("content-type");
    };
    expect(await typeOf("fixture.pid")).toBe("application/json");
    // The level of an older client with the same token is none of its business.
    const level = { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "debug" } };
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const older = { method: "POST", headers: { ...headers, Authorization: `Bearer ${token}` } };
    expect((await fetch(server.url, { ...older, body: JSON.stringify(level) })).status).toBe(200);
    expect(await typeOf("fixture.pid")).toBe("application/json");
    expect(await typeOf("fixture.work", { progressToken: 1 })).toBe("text/event-stream");
  });

  test("no session is begun, and of the older era's methods none is known", async () => {
    const response = await post({ method: "tools/list" });
    expect(response.headers.get("mcp-session-id")).toBeNull();
    await response.text();
    for (const method of ["ping", "logging/setLevel", "initialize"]) {
      const refused = await post({ method });
      expect(await refused.json()).toMatchObject({ error: { code: -32601 } });
    }
  });

  test("headers that say something else than the body are refused, and so is an unknown version", async () => {
    const call = { method: "tools/call", params: { name: "fixture.pid", arguments: {} } };
    const others: Record<string, string>[] = [{ "Mcp-Name": "fixture.env" }, { "Mcp-Method": "tools/list" }];
    for (const headers of others) {
      const response = await post({ ...call, headers });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: -32020 } });
    }
    const meta = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    const response = await post({ ...call, meta, headers: { "MCP-Protocol-Version": "2099-01-01" } });
    expect(await response.json()).toMatchObject({ error: { code: -32022, data: { supported: [version] } } });
  });

  test("a call whose client hangs up is cancelled, and no other with the same id", async () => {
    const calls = () => server.stderr().match(/"tool":"fixture\.never".*"tool called"/g)?.length ?? 0;
    const never = {
      method: "tools/call",
      params: { name: "fixture.never", arguments: {} },
      meta: { progressToken: 1 },
    };
    const [one, other] = [new AbortController(), new AbortController()];
    // That an answer begins says that the call has.
    await Promise.all([post(never, one.signal), post(never, other.signal)]);
    one.abort();
    await vi.waitUntil(() => calls() === 1, { timeout: patienceMs, interval: 10 });
    other.abort();
    await vi.waitUntil(() => calls() === 2, { timeout: patienceMs, interval: 10 });
    expect(server.stderr()).not.toContain("tool failed");
  });

  test("a client may wait for word of changes", async () => {
    const params = { notifications: { toolsListChanged: true } };
    const { body } = await post({ method: "subscriptions/listen", params });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain("notifications/subscriptions/acknowledged");
    await reader?.cancel();
  });

  test("a call that is under way when the server is stopped has time to end", async () => {
    const args = { steps: 2, everyMs: 100 };
    const answer = await post({
      method: "tools/call",
      params: { name: "fixture.work", arguments: args },
      meta: { progressToken: 1 },
    });
    await server.stop();
    expect(await answer.text()).toContain("worked");
  });
});
