/** Costs over HTTP: what real runs have used, counted as the command counts it, and today's limits. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeDescriptor, writeState } from "../../../../journal/agents/agent-files.ts";
import { groupings } from "../../../../journal/costs/cost-report.ts";
import type { AgentDescriptor, AgentState } from "../../../../protocol/agents/agent-files.ts";
import { dayOf } from "../../../../protocol/names/day.ts";
import { isTerminal } from "../../../../protocol/runs/event.ts";
import type { Cost } from "../../../../web/machine/records/machine-records.ts";
import { runCortex, runCortexJson } from "../../../scripts/run-command.ts";
import { fixtureAgents } from "../../../support/cortex-system.ts";
import { type MachineSystem, startMachine, timeZone } from "../machine-system.ts";

const budgets = {
  daily: { max_cost_usd: 4, max_total_tokens: 1_000_000 },
  personas: { digest: { daily: { max_cost_usd: 1 } }, idle: { daily: { max_cost_usd: 0 } } },
};
const agents = {
  heartbeat: { every_minutes: 1000, max_cost_usd_per_day: 1 },
  cron: { dusk: { schedule: "0 20 * * *", prompt: "Look.", max_cost_usd_per_day: 2 } },
};

let machine: MachineSystem;
beforeAll(async () => {
  machine = await startMachine({
    settings: { ...fixtureAgents("scripted"), budgets, agents },
    files: { "personas/digest.txt": "Sum up.", "personas/digest.json": "{}" },
  });
  await spend("default", { input_tokens: 1000, output_tokens: 500, cost_usd: 2.5 });
  await spend("digest", { input_tokens: 100, output_tokens: 50, cost_usd: 0.9 });
});
afterAll(() => machine[Symbol.asyncDispose]());

const today = () => dayOf(Date.now(), timeZone);
const get = (query: string) => machine.api.owner.get<Cost>(`/cost${query}`);

async function spend(persona: string, usage: object, agent?: string): Promise<void> {
  const steps = [
    { ev: { event: "start", model: `of-${persona}` } },
    { ev: { event: "usage", model: `of-${persona}`, ...usage } },
    { ev: { event: "finish", result: "done" } },
  ];
  const id = machine.system.request({ prompt: JSON.stringify(steps), persona, ...(agent && { agent }) });
  await machine.system.until(() => machine.system.file(id).some(isTerminal), "it has ended");
}

test("the same sums come over HTTP and at the terminal, by each grouping", async () => {
  for (const by of groupings) {
    const { limits: _, unread, rows, ...cost } = await get(`?by=${by}`);
    const { document } = await runCortexJson(machine.system.journal, ["cost", "--by", by], { CORTEX_TZ: timeZone });
    expect({ ...cost, rows: rows.map(({ agent_name: __, ...row }) => row) }).toEqual(document);
    expect(unread).toEqual([]);
  }
  const { rows, total } = await get("?by=persona");
  expect(rows.map(({ name, cost_usd }) => [name, cost_usd])).toEqual([
    ["default", 2.5],
    ["digest", 0.9],
  ]);
  expect(total).toMatchObject({ runs: 2, calls: 2, total_tokens: 1650, cost_usd: 3.4 });
  expect((await get("?by=day")).rows.map(({ name }) => name)).toEqual([today()]);
});

test("limits say what is spent of them today, and how near they are", async () => {
  // As the agents' service writes it down of the agent that the heartbeat wakes, and of its task.
  const spent = (usd: number) => ({ day: today(), usd, known_usd: usd, is_known: true, tokens: 10 });
  const [beat, task] = ["h".repeat(24), "t".repeat(24)];
  await agent({ id: beat, kind: "heartbeat" }, spent(0.5));
  await agent({ id: task, kind: "subagent", parent: beat }, spent(0.35));
  const workspace = await machine.api.workspace();
  await machine.api.owner.call("PATCH", `/workspaces/${workspace.id}`, { budget: { max_cost_usd: 3 } });
  const { limits } = await get("");
  const shown = limits.map(({ scope, name, spent_usd, share, state }) => {
    return [scope, name, Math.round(spent_usd * 100) / 100, Math.round(share * 100) / 100, state];
  });
  expect(shown).toEqual([
    ["all", null, 3.4, 0.85, "near"],
    ["persona", "digest", 0.9, 0.9, "near"],
    ["persona", "idle", 0, 1, "reached"],
    ["agents", "cron dusk", 0, 0, "far"],
    ["agents", "heartbeat", 0.85, 0.85, "near"],
    ["workspace", workspace.name, 0, 0, "far"],
  ]);
  expect(limits[0]).toMatchObject({ limit_usd: 4, limit_tokens: 1_000_000, spent_tokens: 1650 });
  const { document } = await runCortexJson(machine.system.journal, ["cost", "--limits"], { CORTEX_TZ: timeZone });
  expect(document).toEqual({ limits: limits.filter(({ scope }) => scope !== "workspace") });
  const table = await runCortex(machine.system.journal, ["cost", "--limits"], { CORTEX_TZ: timeZone });
  expect(table.stdout).toMatch(/all +3\.4000 of 4 +1,650 of 1,000,000 +85 %/);
  await spend("digest", { input_tokens: 10_000, output_tokens: 0, cost_usd: 0.2 });
  const { limits: after } = await get("");
  expect(after.find(({ name }) => name === "digest")).toMatchObject({ state: "reached" });
});

test("runs of a task stand by themselves by task, and with their agent by agent, over HTTP as at the terminal", async () => {
  const none = { day: today(), usd: 0, known_usd: 0, is_known: true, tokens: 0 };
  const [main, task] = ["m".repeat(24), "k".repeat(24)];
  await agent({ id: main, kind: "main", name: "Ada" }, none);
  await agent({ id: task, kind: "subagent", parent: main, name: "Look it up" }, none);
  await spend("default", { input_tokens: 1, output_tokens: 1, cost_usd: 0.25 }, task);
  for (const [by, id, name] of [
    ["task", task, "Look it up"],
    ["agent", main, "Ada"],
  ]) {
    const { rows } = await get(`?by=${by}`);
    expect(rows.find(({ name: row }) => row === id)).toMatchObject({ runs: 1, cost_usd: 0.25, agent_name: name });
    const { document } = await runCortexJson(machine.system.journal, ["cost", "--by", by ?? ""], {
      CORTEX_TZ: timeZone,
    });
    expect(rows).toMatchObject(document["rows"] as object[]);
  }
});

test("days that can't be are refused", async () => {
  const statusOf = async (query: string) => (await machine.api.owner.call("GET", `/cost${query}`)).status;
  expect(await statusOf("?from=20250109&to=20250101")).toBe(400);
  expect(await statusOf("?from=yesterday")).toBe(400);
  expect(await statusOf("?by=mood")).toBe(400);
  expect((await get("?from=20250101&to=20250109")).rows).toEqual([]);
});

async function agent(
  descriptor: Pick<AgentDescriptor, "id" | "kind" | "parent" | "name">,
  spent: NonNullable<AgentState["spent"]>,
): Promise<void> {
  const { journal } = machine.system;
  await writeDescriptor(journal, { ...descriptor, created: 1 });
  const idle = { permissions: [], created: 1, updated: 1, context_tokens: 0, has_memory_index: false, turn: null };
  await writeState(journal, descriptor.id, { lifecycle: "active", provider: {}, ...idle, spent });
}
