/** A run that waits for its turn, as a task: found before there is a file of it, also after the tool server was started again. */
import { expect, test, vi } from "vitest";
import { commandsToken } from "../../../journal/access/tokens.ts";
import { runState } from "../../../journal/runs/run-files.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { StatelessClient } from "../../support/mcp/stateless-client.ts";
import { patienceMs } from "../../support/patience.ts";
import { startTools } from "../tools-server.ts";

const tasksExtension = { extensions: { "io.modelcontextprotocol/tasks": {} } };

test("a task that waits is there after a restart, and can be cancelled", async () => {
  await using system = await CortexSystem.start({ settings: { ...fixtureAgents("forever"), max_concurrent: 1 } });
  const token = await commandsToken(system.journal);
  const ids: string[] = [];
  {
    await using tools = await startTools(system.journal);
    const client = new StatelessClient(tools.url, token, tasksExtension);
    for (const prompt of ["first", "second"]) {
      const { taskId } = await client.call("cortex_run", { prompt });
      ids.push(String(taskId));
      const isUnderWay = () => runState(system.journal, ids[0] ?? "") === "active";
      await vi.waitUntil(isUnderWay, { timeout: patienceMs, interval: 20 });
    }
  }
  expect(runState(system.journal, ids[1] ?? "")).toBe("absent");
  await using tools = await startTools(system.journal);
  const client = new StatelessClient(tools.url, token, tasksExtension);
  const waiting = ids.toReversed();
  expect(await client.resultOf("tasks/get", { taskId: waiting[0] })).toMatchObject({ status: "working" });
  for (const taskId of waiting) {
    await client.resultOf("tasks/cancel", { taskId });
    const isCancelled = async () => (await client.resultOf("tasks/get", { taskId }))["status"] === "cancelled";
    await vi.waitUntil(isCancelled, { timeout: patienceMs, interval: 50 });
  }
});

test("a run that no cortex has taken yet is a task, too", async () => {
  await using system = await CortexSystem.start({ settings: fixtureAgents("forever") });
  await system.stopCortex();
  await using tools = await startTools(system.journal);
  const client = new StatelessClient(tools.url, await commandsToken(system.journal), tasksExtension);
  const refused = await client.call("cortex_run", { prompt: "hello" });
  const said = JSON.stringify(refused["content"]);
  expect([refused["isError"], said]).toEqual([true, expect.stringContaining("no cortex has taken it")]);
  const [taskId] = /\d{13}/.exec(said) ?? [];
  expect(await client.resultOf("tasks/get", { taskId })).toMatchObject({ status: "working" });
  // It begins when a cortex does.
  await system.startCortex();
  await client.resultOf("tasks/cancel", { taskId });
  const isCancelled = async () => (await client.resultOf("tasks/get", { taskId }))["status"] === "cancelled";
  await vi.waitUntil(isCancelled, { timeout: patienceMs, interval: 50 });
});
