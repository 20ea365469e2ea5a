import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { packs } from "../../../protocol/settings/packs.ts";
import { AgentsService, agentId, callAs, runId } from "../agents-service.ts";
import { callTool } from "../tools-server.ts";

let service: AgentsService;
let client: Client;

beforeAll(async () => {
  service = await AgentsService.start();
  client = await service.client([...(packs["tasks"] ?? []), ...(packs["background"] ?? [])]);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});
beforeEach(() => {
  service.calls.length = 0;
});

describe.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  [
    "spawn_subagent",
    { description: "Weather", input: "Find it.", type: "explore" },
    { taskId: "t1", status: "running" },
  ],
  ["resume_task", { taskId: "t1", input: "Go on." }, { taskId: "t1", status: "running" }],
  ["task_list", { date: "20250109" }, { tasks: [{ taskId: "t1", status: "completed" }] }],
  ["task_status", { taskId: "t1" }, { taskId: "t1", status: "completed", result: "Sunny." }],
  ["task_replay", { taskId: "t1" }, { steps: [] }],
  ["notify", { text: "Half done.", needs_answer: true }, { queued: true }],
  ["send_agent_message", { text: "Look.", agentId }, { queued: true }],
  ["request_permission", { path: "/tmp/out", reason: "To save the report." }, { status: "asked", token: "p1" }],
])("%s", (name, args, result) => {
  test("is done by the agents' service, whose answer passes through", async () => {
    service.answers.set(name, { ok: true, result });
    const answer = await client.callTool({ name, arguments: args, _meta: { "cortex/call_id": "c1" } });
    expect(answer.isError).toBeFalsy();
    expect(answer.structuredContent).toEqual(result);
    expect(service.calls).toEqual([{ run_id: runId, call_id: "c1", tool: name, args }]);
  });

  test("that can't be is an error result", async () => {
    service.answers.set(name, { ok: false, error: "no such task: task_list gives them" });
    expect(await callAs(client, "c1", name, args)).toEqual({
      text: `${name}: no such task: task_list gives them`,
      isError: true,
    });
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ["spawn_subagent", { description: "x", input: "y", type: "a\nb" }, "type: expected one line"],
  ["spawn_subagent", { description: "a\nb", input: "y" }, "description: expected one line"],
  ["spawn_subagent", { description: "x" }, "input: expected string, got nothing"],
  ["resume_task", { taskId: "", input: "y" }, "taskId: expected text, not blank"],
  ["task_list", { date: "20250230" }, "date: expected a day"],
  ["notify", { text: " " }, "text: expected text, not blank"],
  ["send_agent_message", { text: "x", agentId: "../x" }, "agentId: expected a cuid2"],
  ["request_permission", { path: "out", reason: "x" }, "path: expected an absolute path"],
  ["request_permission", { path: "/tmp/out", reason: "" }, "reason: expected text, not blank"],
])("%s %j is refused before anybody is asked", async (name, args, message) => {
  const { text, isError } = await callTool(client, name, args);
  expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
  expect(service.calls).toEqual([]);
});
