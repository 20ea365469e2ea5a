import { expect, test } from "vitest";
import { AgentProcess } from "../../support/backends/agent-process.ts";
import { environmentOf, key } from "../../support/backends/anthropic-run.ts";
import { errorBody, startAnthropic } from "../../support/providers/anthropic.ts";
import { startToolServer } from "../../support/tool-server.ts";
import { patienceMs } from "../../support/patience.ts";

const backend = "anthropic";

test("the process answers from the address in its environment, with reasoning and tools", async () => {
  await using tools = await startToolServer();
  await using played = await startAnthropic([
    {
      turn: { thinking: "Hm, ü.", text: "Let me see.", calls: [{ tool: "echo", args: { text: "🌱" } }] },
      pieceBytes: 7,
    },
    { turn: { text: "It says 🌱." }, pieceBytes: 3 },
  ]);
  await using agent = new AgentProcess(environmentOf(played));
  agent.write({ prompt: "hi", backend, thinking_budget: 2000, mcp_server_url: tools.url }).end();
  expect(await agent.exit()).toBe(0);
  expect(played.refusals).toEqual([]);
  expect(agent.events.map(({ event }) => event).join(" ")).toBe(
    "start usage thinking text tool_start tool_end usage finish",
  );
  expect(agent.named("finish")).toMatchObject([{ result: "It says 🌱." }]);
  expect(agent.stderr).toBe("");
});

test("the key is in no event and no log, also where the server echoes it in what it says", async () => {
  await using tools = await startToolServer();
  await using played = await startAnthropic([
    { turn: { thinking: `The key is ${key}.`, text: key, calls: [{ tool: "echo", args: { text: key } }] } },
    { turn: { text: `Your key: ${key}` } },
    { status: 401, body: errorBody("authentication_error", `not ${key}`) },
    { status: 400, body: errorBody("invalid_request_error", `what ${key}`) },
  ]);
  await using agent = new AgentProcess({ ...environmentOf(played), ANTHROPIC_LOG: "debug" });
  agent.write(...[1, 2, 3].map(() => ({ prompt: "hi", backend, mcp_server_url: tools.url }))).end();
  expect(await agent.exit()).toBe(1);
  expect(agent.named("finish")).toMatchObject([{ result: "Your key: ***" }]);
  expect(agent.named("error")).toHaveLength(2);
  expect(JSON.stringify(agent.events) + agent.stderr).not.toContain(key);
});

test("silence after the headers: cancel ends the run at once", async () => {
  await using played = await startAnthropic([{ silent: true }]);
  await using agent = new AgentProcess(environmentOf(played));
  agent.write({ prompt: "hi", backend, agent_id: "1736380800000" });
  await expect.poll(() => played.requests.length, { timeout: patienceMs }).toBe(1);
  agent.write({ type: "cancel" });
  expect(await agent.exit()).toBe(1);
  expect(agent.events.at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
});

test("429 is tried again, in real time", async () => {
  await using played = await startAnthropic([
    { status: 429, headers: { "retry-after-ms": "20" }, body: errorBody("rate_limit_error", "slow down") },
    { turn: { text: "ok" } },
  ]);
  await using agent = new AgentProcess(environmentOf(played));
  agent.write({ prompt: "hi", backend }).end();
  expect(await agent.exit()).toBe(0);
  expect(agent.named("retry")).toMatchObject([{ attempt: 1, delay_ms: 20 }]);
});

test("a run without a key ends with what to do", async () => {
  await using agent = new AgentProcess();
  agent.write({ prompt: "hi", backend }).end();
  expect(await agent.exit()).toBe(1);
  expect(agent.named("error")).toMatchObject([
    { reason: "config", error: expect.stringContaining("ANTHROPIC_API_KEY") },
  ]);
});
