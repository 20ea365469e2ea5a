import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as NewerClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewerStdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { removeEndpoints, writeEndpoints } from "../../../../journal/access/endpoints.ts";
import { readToolCatalog } from "../../../../journal/programs/tool-catalog.ts";
import { callTool, makeJournal, startTools, type ToolsServer } from "../../../mcp-tools/tools-server.ts";
import { runCortex, runCortexJson } from "../../run-command.ts";
import { patienceMs } from "../../../support/patience.ts";

const bin = fileURLToPath(new URL("../../../../bin/cortex.js", import.meta.url));
const slowTools = fileURLToPath(new URL("../../../fixtures/mcp/server.ts", import.meta.url));
const folder = makeJournal("example");
const { journal } = folder;
let server: ToolsServer;

/** As `cortex up` does when its programs are ready. */
const announce = (url: string) =>
  writeEndpoints(journal, { nats_url: "", nats_user: "", nats_token: "", mcp_url: url, pid: process.pid });

beforeAll(async () => {
  const fixture = { command: [process.execPath, slowTools] };
  writeFileSync(join(journal, "cortex.json"), JSON.stringify({ mcp_servers: { fixture } }));
  server = await startTools(journal, { CORTEX_LOG_LEVEL: "debug" });
  await announce(server.url);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

/** The official client, as a desktop program or an editor starts `cortex mcp`. */
async function start(...args: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, "mcp", ...args],
    env: { PATH: process.env["PATH"] ?? "", JOURNAL_PATH: journal },
    stderr: "pipe",
  });
  const client = new Client({ name: "test", version: "1" });
  const problems: Error[] = [];
  // Whatever isn't a message on stdout ends here.
  client.onerror = (error) => void problems.push(error);
  await client.connect(transport);
  return Object.assign(client, { problems, [Symbol.asyncDispose]: () => client.close() });
}

const toolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

/** Waits until the server has a tool: what is written down may be what the one before it had. */
const has = (client: Client, tool: string) =>
  vi.waitUntil(async () => (await toolNames(client)).includes(tool), { timeout: patienceMs, interval: 20 });

describe("a client on stdio", () => {
  test("has the tools, resources, prompts and completions of the running server", async () => {
    await using client = await start();
    expect(await toolNames(client)).toContain("search_journal");
    expect((await callTool(client, "get_facet", { facet: "garden" })).text).toContain("Garden and house");
    expect((await client.readResource({ uri: "journal://facets/garden" })).contents).toHaveLength(1);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("reviewer");
    const ref = { type: "ref/prompt", name: "reviewer" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "facet", value: "g" } });
    expect(completion.values).toEqual(["garden"]);
    expect(client.problems).toEqual([]);
  });

  test("of the stateless protocol is served as well, and cancels its calls", async () => {
    const command = { command: process.execPath, args: [bin, "mcp"], stderr: "ignore" as const };
    const env = { PATH: process.env["PATH"] ?? "", JOURNAL_PATH: journal };
    const client = new NewerClient({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new NewerStdioClientTransport({ ...command, env }));
    expect(client.getProtocolEra()).toBe("modern");
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("search_journal");
    expect((await client.readResource({ uri: "journal://facets/garden" })).contents).toHaveLength(1);
    await expect(client.callTool({ name: "no-such-tül" })).resolves.toMatchObject({ isError: true });
    const isReady = async () => (await readToolCatalog(journal)).sources[0]?.state === "ready";
    await vi.waitUntil(isReady, { timeout: patienceMs, interval: 20 });
    const note = join(journal, "called");
    const stopping = new AbortController();
    const params = { name: "fixture.never", arguments: { note } };
    const call = client.callTool(params, { signal: stopping.signal, timeout: patienceMs });
    await vi.waitUntil(() => existsSync(note), { timeout: patienceMs, interval: 20 });
    stopping.abort();
    await expect(call).rejects.toThrow();
    const isCancelled = () => /fixture\.never.*tool called/.test(server.stderr());
    await vi.waitUntil(isCancelled, { timeout: patienceMs, interval: 20 });
    await client.close();
  });

  test("hears of the progress of its calls", async () => {
    await using client = await start();
    await has(client, "fixture.work");
    const heard: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => void heard.push(progress);
    await client.callTool({ name: "fixture.work" }, CallToolResultSchema, { onprogress });
    // The SDK's client forgets who listens when the answer arrives, which may be in one piece with the last words.
    expect(heard.length).toBeGreaterThan(0);
    expect(heard).toEqual([1, 2, 3, 4, 5].slice(0, heard.length));
  });

  test("doesn't notice that the server is started again, and waits for it meanwhile", async () => {
    await using client = await start();
    expect((await callTool(client, "get_facet", { facet: "garden" })).isError).toBe(false);
    await server.stop();
    const waiting = callTool(client, "get_facet", { facet: "music" });
    server = await startTools(journal, { CORTEX_LOG_LEVEL: "debug" });
    await announce(server.url);
    expect((await waiting).text).toContain("music");
    expect(client.problems).toEqual([]);
  });

  test("is told when a call may or may not have been carried out", async () => {
    await using client = await start();
    await has(client, "fixture.work");
    const begun = Promise.withResolvers<void>();
    const long = { name: "fixture.work", arguments: { steps: 1_000 } };
    const call = client.callTool(long, CallToolResultSchema, { onprogress: () => begun.resolve() });
    const told = expect(call).rejects.toThrow("which may or may not have been carried out");
    await begun.promise;
    server.child.kill("SIGKILL");
    await told;
    removeEndpoints(journal);
    const waiting = callTool(client, "get_facet", { facet: "garden" });
    server = await startTools(journal, { CORTEX_LOG_LEVEL: "debug" });
    await announce(server.url);
    expect((await waiting).isError).toBe(false);
  });

  test("gets with --tools what it asks for, and is refused the rest", async () => {
    await using client = await start("--tools", "get_facet, todo");
    expect(await toolNames(client)).toEqual([
      "get_facet",
      "todo_list",
      "todo_add",
      "todo_done",
      "todo_cancel",
      "todo_upcoming",
    ]);
    expect((await callTool(client, "search_journal", { query: "x" })).isError).toBe(true);
    expect(client.getServerCapabilities()).not.toHaveProperty("resources");
  });
});

test("stdout has nothing but messages, garbage is passed over, and the end of stdin is the end", async () => {
  const child = spawn(process.execPath, [bin, "mcp"], { env: { PATH: process.env["PATH"], JOURNAL_PATH: journal } });
  let [out, err] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
  child.stdin.end(
    [
      "garbage",
      "[]",
      '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":"b","method":"no/such"}',
      "",
    ].join("\n"),
  );
  const [code] = await once(child, "close");
  expect(code).toBe(0);
  const answers = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(answers.toSorted((a, b) => (String(a.id) < String(b.id) ? -1 : 1))).toMatchObject([
    { jsonrpc: "2.0", id: 1, result: {} },
    { jsonrpc: "2.0", id: "b", error: { code: -32601 } },
  ]);
  expect(err).toContain("not a message");
});

describe("cortex mcp config", () => {
  test("prints what starts it, for programs without our environment", async () => {
    const { code, document } = await runCortexJson(journal, ["mcp", "config", "--tools", "journal"]);
    expect(code).toBe(0);
    const { command, args, env } = (
      document as { mcpServers: { cortex: { command: string; args: string[]; env: object } } }
    ).mcpServers.cortex;
    expect(args.slice(1)).toEqual(["mcp", "--tools", "journal"]);
    expect(env).toEqual({ JOURNAL_PATH: journal });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StdioClientTransport({ command, args, env: { ...env }, stderr: "ignore" }));
    expect(await toolNames(client)).toEqual(["search_journal", "get_events", "get_facet", "get_resource"]);
    await client.close();
  });

  test("for people it is the snippet and the line for Claude Code", async () => {
    const { code, stdout } = await runCortex(journal, ["mcp", "config"]);
    expect(code).toBe(0);
    expect(stdout).toContain('"mcpServers"');
    expect(stdout).toContain("claude mcp add cortex");
  });

  test.each([
    [["mcp", "config", "x"], 'unexpected "x"'],
    [["mcp", "--tools", "journla"], 'did you mean "journal"?'],
  ])("cortex %j is a wrong use", async (args, why) => {
    const { code, stdout, stderr } = await runCortex(journal, args);
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining(why)]);
  });
});
