/** `search_threads` over the real tool server and bus: the web program answers it, for the run whose token the call has. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerWorkspaceCalls } from "../../../bus/agents/agent-calls.ts";
import type { ToolCall } from "../../../protocol/agents/agent-call.ts";
import { AgentsService, callAs, runId } from "../agents-service.ts";

let service: AgentsService;
const calls: ToolCall[] = [];
const passage = {
  thread: "Seeds",
  thread_id: "t",
  fork_id: null,
  message_id: "m",
  author: "Ada",
  time: "2026-01-09T00:00:00.000Z",
  text: "beans",
};
beforeAll(async () => {
  service = await AgentsService.start();
  const web = await service.bus.as("channel-web");
  answerWorkspaceCalls(web, {
    tool: async (call) => {
      calls.push(call);
      if (call.run_id !== runId) return { ok: false, error: "only in answers" };
      return { ok: true, result: { passages: [passage] } };
    },
    onProblem: (error) => {
      throw error;
    },
  });
  await web.connection.flush();
});
afterAll(() => service[Symbol.asyncDispose]());

test("a run's search is answered by the web program, which is told by the token whose run it is", async () => {
  const client = await service.client(["search_threads"]);
  const args = { query: "beans", run_id: "1736380800099" };
  const { text, isError } = await callAs(client, "c1", "search_threads", { query: "beans" });
  expect(isError).toBe(false);
  expect(JSON.parse(text)).toEqual({ passages: [passage] });
  expect(calls.at(-1)).toEqual({ run_id: runId, call_id: "c1", tool: "search_threads", args: { query: "beans" } });
  await callAs(client, "c2", "search_threads", args);
  expect(calls.at(-1)?.run_id).toBe(runId);
});

test("another run's search is refused, and one without the tool can't call it", async () => {
  const other = await service.client(["search_threads"], "1736380800001");
  expect(await callAs(other, "c1", "search_threads", { query: "beans" })).toMatchObject({
    isError: true,
    text: expect.stringContaining("only in answers"),
  });
  const without = await service.client(["current_time"]);
  const before = calls.length;
  const refused = await callAs(without, "c1", "search_threads", { query: "beans" }).catch(() => ({ isError: true }));
  expect(refused.isError).toBe(true);
  expect(calls).toHaveLength(before);
});
