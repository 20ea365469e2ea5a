/** The pack `cortex`: runs started over MCP by the owner's clients, on a real bus with a real cortex. */
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { commandsToken, issueToken } from "../../../journal/access/tokens.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { connectStateless, StatelessClient } from "../../support/mcp/stateless-client.ts";
import { patienceMs } from "../../support/patience.ts";
import { callTool, connect, startTools, type ToolsServer } from "../tools-server.ts";

const tasksExtension = { extensions: { "io.modelcontextprotocol/tasks": {} } };
let system: CortexSystem;
let tools: ToolsServer;
let token: string;

beforeAll(async () => {
  system = await CortexSystem.start({
    settings: { ...fixtureAgents("forever"), default_backend: "offline" },
    files: { "personas/endless.txt": "Go on.", "personas/endless.json": '{"backend": "forever"}' },
  });
  tools = await startTools(system.journal);
  token = await commandsToken(system.journal);
});
afterAll(async () => {
  await tools[Symbol.asyncDispose]();
  await system[Symbol.asyncDispose]();
});

const stateOf = (id: unknown, client: StatelessClient) => client.resultOf("tasks/get", { taskId: id });

describe("a client that knows no tasks", () => {
  test("of the older protocol waits for the answer", async () => {
    await using client = await connect(tools.url, token);
    const params = { name: "cortex_run", arguments: { prompt: "The greenhouse needs new glass." } };
    const answer = CallToolResultSchema.parse(await client.callTool(params));
    expect(answer).toMatchObject({ structuredContent: { state: "finished", result: expect.any(String) } });
    const { agent_id: id } = answer.structuredContent as { agent_id: string };
    const { text } = await callTool(client, "cortex_result", { agent_id: id });
    expect(answer.content).toEqual([{ type: "text", text }]);
    // It is a run as any other.
    const finished = expect.objectContaining({ event: "finish", agent_id: id });
    await vi.waitFor(() => expect(system.events).toContainEqual(finished), { timeout: patienceMs, interval: 20 });
  });

  test("of the stateless protocol is told which run it is, and stops it by cancelling its call", async () => {
    await using client = await connectStateless(tools.url, token);
    const stopping = new AbortController();
    const run = Promise.withResolvers<string>();
    const params = { name: "cortex_run", arguments: { prompt: "hello", persona: "endless" } };
    const onprogress = ({ message = "" }) => run.resolve(message.replace("run ", ""));
    const call = client.callTool(params, { onprogress, signal: stopping.signal, timeout: patienceMs });
    const id = await run.promise;
    stopping.abort();
    await expect(call).rejects.toThrow();
    const stopped = expect.objectContaining({ event: "error", agent_id: id, reason: "cancelled" });
    await vi.waitFor(() => expect(system.events).toContainEqual(stopped), { timeout: patienceMs, interval: 20 });
    const { isError, structuredContent } = await client.callTool({
      name: "cortex_result",
      arguments: { agent_id: id },
    });
    expect([isError, structuredContent]).toEqual([true, { agent_id: id, state: "cancelled" }]);
  });

  test("may not use the methods of tasks", async () => {
    const client = new StatelessClient(tools.url, token);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect((await client.ask(method, { taskId: "1736380800000" })).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: tasksExtension },
      });
  });
});

describe("a client that knows tasks", () => {
  test("has none where it asks for other tools alone", async () => {
    const client = new StatelessClient(`${tools.url}?tools=journal`, token, tasksExtension);
    expect((await client.ask("tasks/get", { taskId: "1736380800000" })).error).toMatchObject({ code: -32601 });
  });

  test("is answered with a task, and finds the answer in it, also after the server was started again", async () => {
    const client = new StatelessClient(tools.url, token, tasksExtension);
    const { capabilities } = await client.resultOf("server/discover");
    expect(capabilities).toMatchObject(tasksExtension);
    const task = await client.call("cortex_run", { prompt: "The greenhouse needs new glass." });
    expect(task).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^\d+$/),
      status: expect.stringMatching(/^(working|completed)$/),
      ttlMs: null,
      pollIntervalMs: expect.any(Number),
    });
    const isDone = async () => (await stateOf(task["taskId"], client))["status"] === "completed";
    await vi.waitUntil(isDone, { timeout: patienceMs, interval: 50 });
    const done = await stateOf(task["taskId"], client);
    expect(done).toMatchObject({
      resultType: "complete",
      taskId: task["taskId"],
      result: { structuredContent: { agent_id: task["taskId"], state: "finished" } },
    });
    await tools.stop();
    tools = await startTools(system.journal);
    const later = new StatelessClient(tools.url, token, tasksExtension);
    expect((await stateOf(task["taskId"], later))["result"]).toEqual(done["result"]);
  });

  test("cancels a task, whose run is stopped", async () => {
    const client = new StatelessClient(tools.url, token, tasksExtension);
    const { taskId } = await client.call("cortex_run", { prompt: "hello", persona: "endless" });
    expect(await stateOf(taskId, client)).toMatchObject({ status: "working" });
    expect(Object.keys(await client.resultOf("tasks/cancel", { taskId }))).not.toContain("status");
    const isStopped = async () => (await stateOf(taskId, client))["status"] === "cancelled";
    await vi.waitUntil(isStopped, { timeout: patienceMs, interval: 50 });
  });

  test("hears that a task isn't there; a run that fails is a completed task whose answer is an error", async () => {
    const client = new StatelessClient(tools.url, token, tasksExtension);
    expect((await client.ask("tasks/get", { taskId: "nothing" })).error).toMatchObject({ code: -32602 });
    const { taskId } = await client.call("cortex_run", { prompt: "hello", persona: "nobody" });
    const isDone = async () => (await stateOf(taskId, client))["status"] === "completed";
    await vi.waitUntil(isDone, { timeout: patienceMs, interval: 50 });
    expect((await stateOf(taskId, client))["result"]).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("nobody") }],
      structuredContent: { state: "failed" },
    });
  });
});

test("no run has these tools, whatever its token says", async () => {
  const run = await issueToken(system.journal, "1736380800000", ["cortex_run", "cortex_result", "get_facet"]);
  await using client = await connect(tools.url, run);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["get_facet"]);
  expect(await callTool(client, "cortex_run", { prompt: "hello" })).toMatchObject({
    isError: true,
    text: expect.stringContaining('no tool "cortex_run" here'),
  });
  const { error } = await new StatelessClient(tools.url, run, tasksExtension).ask("tasks/get", { taskId: "1" });
  expect(error).toMatchObject({ code: -32601 });
});
