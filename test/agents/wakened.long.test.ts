/** The clock wakes agents of their own, which may cost only so much on a day. Nobody else can. */
import { afterAll, expect, test } from "vitest";
import { publishInbound } from "../../bus/agents/inbound.ts";
import { costAtMost, defaultUnknownPriceUsd, nothingSpent, spentBy } from "../../protocol/runs/spent.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { zoneAtNoon } from "../support/zone-at-noon.ts";
import { AgentsSystem } from "./agents-system.ts";

const never = "0 0 1 1 *";
const settings = {
  agents: {
    join_window_ms: 0,
    owners: ["alpha:owner"],
    heartbeat: { every_minutes: 1_000_000, max_cost_usd_per_day: 0.25 },
    cron: {
      nightly: { schedule: never, prompt: "Look.", max_cost_usd_per_day: 0.5 },
      thrifty: { schedule: never, prompt: "Look.", max_cost_usd_per_day: 0.000001 },
      steward: { schedule: never, prompt: "Keep house.", max_cost_usd_per_day: 0.5 },
      teller: { schedule: never, prompt: "Tell.", max_cost_usd_per_day: 0.5 },
    },
  },
};
const system = await AgentsSystem.start(settings, {}, { CORTEX_TZ: zoneAtNoon() });
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const clock = await system.as("schedule");

let count = 0;
const wake = (type: "cron" | "heartbeat", channelId: string, text: string) =>
  publishInbound(clock, { id: `${channelId}-${++count}`, text, channel: { type, channelId } });

type Row = { agent_id: string; kind: string; name: string };
const rows = async () => (await system.command("agents list"))["agents"] as Row[];
const woken = async (kind: string, name: string) =>
  (await rows()).find((row) => row.kind === kind && row.name === name)?.agent_id ?? "";

/** The ends of an agent's turns. */
const ends = (agent: string) =>
  system.news.filter(({ event, agent_id }) => event === "turn_ended" && agent_id === agent);
const runOf = (agent: string, n: number) => system.up.file(ends(agent)[n]?.run_id ?? "");

const costOf = (events: AgentEvent[]) =>
  events.reduce((sum, event) => {
    const spent = event.event === "usage" ? spentBy(event, nothingSpent) : null;
    return sum + (spent ? costAtMost(spent, defaultUnknownPriceUsd) : 0);
  }, 0);

test("a cron task has an agent of its own, with what is left of its day", async () => {
  system.think("dusk-", () => ({ text: "All is well." }));
  await wake("cron", "nightly", "dusk-1");
  await system.until(() => system.askedOf("dusk-1").length > 0, "it is asked");
  const agent = await woken("cron", "nightly");
  await system.turns(agent, 1);
  const [asked] = system.askedOf("dusk-1");
  expect(asked?.said).toEqual(['<system_message origin="cron">dusk-1</system_message>']);
  expect(asked?.tools).toEqual(
    expect.arrayContaining(["reply", "memory_read", "spawn_subagent", "send_agent_message"]),
  );
  expect(runOf(agent, 0)[0]).toMatchObject({ max_cost_usd: 0.5 });
  await wake("cron", "nightly", "dusk-2");
  await system.turns(agent, 2);
  expect(await woken("cron", "nightly")).toBe(agent);
  const used = costOf(runOf(agent, 0));
  expect(used).toBeGreaterThan(0);
  expect(runOf(agent, 1)[0]?.["max_cost_usd"]).toBeCloseTo(0.5 - used, 9);
});

test("the cost of an agent's tasks counts on its day", async () => {
  const errand = { tool: "spawn_subagent", args: { description: "an errand", input: "errand-1" } };
  system.think("chore-1", ({ said, results }) =>
    said.length > 1 || results.length > 0 ? { text: "." } : { calls: [errand] },
  );
  system.think("errand-1", () => ({ text: "Run." }));
  await wake("cron", "steward", "chore-1");
  const task = await system.task("chore-1");
  const agent = await woken("cron", "steward");
  await system.turns(agent, 2);
  await wake("cron", "steward", "chore-2");
  await system.turns(agent, 3);
  const errands = costOf(system.up.file(ends(task)[0]?.run_id ?? ""));
  expect(errands).toBeGreaterThan(0);
  const used = errands + costOf(runOf(agent, 0)) + costOf(runOf(agent, 1));
  expect(runOf(agent, 2)[0]?.["max_cost_usd"]).toBeCloseTo(0.5 - used, 9);
});

test("the heartbeat has a limit of money a day", async () => {
  system.think("beat-", () => ({ text: "Nothing." }));
  await wake("heartbeat", "heartbeat", "beat-1");
  await system.until(() => system.askedOf("beat-1").length > 0, "it is asked");
  const agent = await woken("heartbeat", "heartbeat");
  await system.turns(agent, 1);
  expect(system.askedOf("beat-1")[0]?.last).toBe('<system_message origin="heartbeat">beat-1</system_message>');
  expect(runOf(agent, 0)[0]).toMatchObject({ max_cost_usd: 0.25 });
});

test("an agent woken with no money left of the day, or by a schedule that is gone, isn't run and keeps its conversation", async () => {
  system.think("frost-", () => ({ text: "Brr." }));
  await wake("cron", "thrifty", "frost-1");
  await system.until(() => system.askedOf("frost-1").length > 0, "it is asked");
  const agent = await woken("cron", "thrifty");
  await system.turns(agent, 1);
  const { last_run } = system.state(agent);
  await wake("cron", "thrifty", "frost-2");
  await system.turns(agent, 2);
  expect(ends(agent)[1]).toMatchObject({ ok: false, reason: "budget" });
  expect(system.askedOf("frost-2")).toEqual([]);
  expect(system.state(agent).last_run).toBe(last_run);
  await wake("cron", "forgotten", "frost-3");
  const forgotten = await system.until(
    () =>
      system.news.find(
        ({ event, ["reason"]: reason, agent_id }) =>
          event === "turn_ended" && reason === "budget" && agent_id !== agent,
      ),
    "it has ended",
  );
  expect(forgotten.agent_id).toBe(await woken("cron", "forgotten"));
  expect(system.askedOf("frost-3")).toEqual([]);
});

test("a wake-up tells the agent to whom an owner spoke last, also right after a kill", async () => {
  system.think("hearth", ({ last, results }) =>
    last.includes("it rains") && results.length === 0
      ? { calls: [{ tool: "reply", args: { text: "rain", channelId: "hearth", channelType: "alpha" } }] }
      : { text: "Hm." },
  );
  system.think("rain-", ({ results }) =>
    results.length > 0 ? { text: "." } : { calls: [{ tool: "send_agent_message", args: { text: "it rains" } }] },
  );
  await alpha.say("hearth hello", { channelId: "hearth" });
  const main = await system.main("hearth");
  await system.turns(main, 1);
  await alpha.say("hello", { channelId: "street", userId: "mallory" });
  await system.turns(await system.agentOf({ type: "alpha", channelId: "street", userId: "mallory" }), 1);
  await system.killAgents();
  await wake("cron", "teller", "rain-1");
  await alpha.heard("rain");
  expect(system.systemMessages(main)).toEqual([
    `<system_message origin="agent:${await woken("cron", "teller")}">it rains</system_message>`,
  ]);
});

test("an adapter can wake nobody", async () => {
  const adapter = await system.as("channel-alpha");
  const known = async () => (await rows()).map(({ agent_id }) => agent_id).toSorted();
  const before = await known();
  for (const type of ["cron", "heartbeat", "beta", "cli"]) {
    const message = { id: `forged-${type}`, text: "forged", channel: { type, channelId: "nightly" } };
    const refused = adapter.js.publish(`channel.in.${type}`, JSON.stringify(message), { timeout: 500, retries: 0 });
    await expect(refused).rejects.toThrow();
  }
  await alpha.say("the last", { channelId: "hearth" });
  await system.until(() => system.askedOf("the last").length > 0, "what came after is taken in");
  expect(system.askedOf("forged")).toEqual([]);
  expect(await known()).toEqual(before);
});
