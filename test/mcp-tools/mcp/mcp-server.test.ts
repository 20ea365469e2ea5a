/**
 * The notices before the answer of a call, and to whom they go: over HTTP, with a real external server whose tools take
 * their time.
 */
import { CallToolResultSchema, LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { callTool, connect, makeJournal, startWithFixture, type ToolsServer } from "../tools-server.ts";
import { patienceMs } from "../../support/patience.ts";

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

test("a call that asked for progress hears of it, before its answer", async () => {
  await using client = await connect(server.url, token);
  const heard: unknown[] = [];
  const params = { name: "fixture.work", arguments: {} };
  const answer = await client.callTool(params, CallToolResultSchema, { onprogress: (word) => heard.push(word) });
  expect(answer.content).toEqual([{ type: "text", text: "worked" }]);
  // The SDK's client forgets who listens when the answer arrives, which may be in one piece with the last words.
  expect(heard.length).toBeGreaterThan(0);
  expect(heard).toEqual([1, 2, 3, 4, 5].slice(0, heard.length).map((progress) => ({ progress, total: 5 })));
});

test("a client hears what its calls note from the level on that it asked for, and nothing of another's", async () => {
  await using client = await connect(server.url, token);
  await using other = await connect(server.url, token);
  const [heard, overheard]: [unknown[], unknown[]] = [[], []];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.push(params));
  other.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void overheard.push(params));
  await client.setLoggingLevel("debug");
  for (const one of [client, other]) await callTool(one, "get_facet", { facet: "garden" });
  expect(heard).toEqual([{ level: "debug", logger: "get_facet", data: expect.stringMatching(/^took \d+ ms$/) }]);
  expect(overheard).toEqual([]);
  await client.setLoggingLevel("warning");
  await callTool(client, "get_facet", { facet: "garden" });
  expect(heard).toHaveLength(1);
});

const post = (message: object, signal: AbortSignal | null = null) =>
  fetch(server.url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      Authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    signal,
  });
const callOf = (name: string, args: object, meta?: object) => ({
  id: 1,
  method: "tools/call",
  params: { name, arguments: args, ...(meta && { _meta: meta }) },
});

test("a client that asked for neither is answered with one piece of JSON", async () => {
  const typeOf = async (meta?: object) => {
    const response = await post(callOf("get_facet", { facet: "garden" }, meta));
    await response.text();
    return response.headers.get("content-type");
  };
  expect(await typeOf()).toBe("application/json");
  expect(await typeOf({ progressToken: 1 })).toBe("text/event-stream");
});

test("a call that is cancelled ends, and one whose client hangs up as well: neither is a defect", async () => {
  const calls = () => server.stderr().match(/"tool":"fixture\.never".*"tool called"/g)?.length ?? 0;
  // That a stream begins says that the call has.
  const never = callOf("fixture.never", {}, { progressToken: 1 });
  const cancelled = await post(never);
  await post({ method: "notifications/cancelled", params: { requestId: "1" } });
  await post({ method: "notifications/cancelled", params: { requestId: 1 } });
  expect(await cancelled.text()).toContain("fixture.never was cancelled");
  // The log comes on another way than the answer.
  await vi.waitUntil(() => calls() === 1, { timeout: patienceMs, interval: 10 });

  const hangUp = new AbortController();
  await post(never, hangUp.signal);
  hangUp.abort();
  await vi.waitUntil(() => calls() === 2, { timeout: patienceMs, interval: 10 });
  expect(server.stderr()).not.toContain("tool failed");
});

test("a client of the commands may ask for less", async () => {
  await using few = await connect(`${server.url}?tools=todo,get_facet`, token);
  const names = (await few.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(["get_facet", "todo_list", "todo_add", "todo_done", "todo_cancel", "todo_upcoming"]);
  expect((await callTool(few, "get_resource", { path: "20250106/notes.md" })).isError).toBe(true);
  await using outside = await connect(`${server.url}?tools=fixture`, token);
  const all = (await outside.listTools()).tools.map(({ name }) => name);
  expect(all).toContain("fixture.pid");
  expect(all.every((name) => name.startsWith("fixture."))).toBe(true);
});

test("a server's capabilities are those of the token", async () => {
  await using user = await connect(server.url, token);
  expect(Object.keys(user.getServerCapabilities() ?? {}).toSorted()).toEqual([
    "completions",
    "logging",
    "prompts",
    "resources",
    "tools",
  ]);
  await using run = await connect(server.url, await issueToken(journal, "1736380800000", ["get_facet"]));
  expect(Object.keys(run.getServerCapabilities() ?? {}).toSorted()).toEqual(["logging", "tools"]);
});
