/** Accounts of conversations: what was said, used and paid, its tasks' cost in it, whatever is killed or pruned. */
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runFiles } from "../../../journal/runs/list-runs.ts";
import type { Failpoint } from "../../../proc/programs/failpoint.ts";
import { addedSpent, nothingSpent, type Spent, spentBy } from "../../../protocol/runs/spent.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { runCortex, runCortexJson } from "../../scripts/run-command.ts";
import { readRun } from "../../support/read-run.ts";
import { type Adapter, AgentsSystem } from "../agents-system.ts";
import { sender } from "../sender.ts";

const stop = new StopPoint();
const system = await AgentsSystem.start({}, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
system.think("do ", sender);
system.think("echo ", ({ last }) => {
  const word = /echo (\S+)$/.exec(last)?.[1];
  return word === undefined ? { text: "." } : { calls: [{ tool: "reply", args: { text: word, channelId: "echoes" } }] };
});

let alpha: Adapter;
beforeAll(async () => {
  alpha = await system.channel("alpha");
});

type Row = { agent_id: string; title: string | null; messages: number; input_tokens: number; output_tokens: number } & {
  cost_usd: number | null;
  context_tokens: number;
  context_window: number;
};

const rowOf = async (agent: string): Promise<Row> => {
  const { document } = await runCortexJson(system.journal, ["agents", "list"]);
  const row = (document["agents"] as Row[]).find(({ agent_id }) => agent_id === agent);
  if (!row) throw new Error(`no row of ${agent}`);
  return row;
};

/** Sums up the files of an agent's runs, those of its summaries among them. */
function filesOf(agent: string): Spent {
  let sum = nothingSpent;
  for (const { agentId } of runFiles(system.journal)) {
    const events = readRun(system.journal, agentId)?.events ?? [];
    if (events[0]?.["agent"] !== agent) continue;
    const run = events.reduce((so, event) => addedSpent(so, spentBy(event, so) ?? nothingSpent), nothingSpent);
    sum = addedSpent(sum, run);
  }
  return sum;
}

const rounded = (usd: number) => Math.round(usd * 1e9) / 1e9;

test("a conversation has a title, its messages, its tokens, and its cost with its tasks' in it", async () => {
  await alpha.say("Please do nuts", { channelId: "tasks" });
  await alpha.heard(/^nuts completed/);
  const agent = await system.main("tasks");
  const task = await system.task("do nuts");
  await system.turns(agent, 2);
  const [own, ofTask] = [filesOf(agent), filesOf(task)];
  expect(ofTask.cost_usd).toBeGreaterThan(0);
  expect(await rowOf(agent)).toMatchObject({
    title: "Please do nuts",
    messages: 2,
    input_tokens: own.input_tokens,
    output_tokens: own.output_tokens,
    cost_usd: rounded(own.cost_usd + ofTask.cost_usd),
    context_tokens: expect.any(Number),
    context_window: expect.any(Number),
  });
  const shown = await runCortex(system.journal, ["agents", "show", agent]);
  expect(shown.stdout).toMatch(/^title +Please do nuts$/m);
  expect(shown.stdout).toMatch(/^said +2 messages, [\d,]+ tokens in, [\d,]+ out, 0\.\d{4} USD with its tasks$/m);
});

test("costs by agent have its tasks' in them, costs by task tell each, and an agent's runs are listed by its id", async () => {
  const agent = await system.main("tasks");
  const task = await system.task("do nuts");
  const rows = async (by: string) => {
    const { document } = await runCortexJson(system.journal, ["cost", "--by", by]);
    const found = document["rows"] as { name: string; cost_usd: number }[];
    return Object.fromEntries(found.map(({ name, cost_usd }) => [name, cost_usd]));
  };
  const [own, ofTask] = [filesOf(agent).cost_usd, filesOf(task).cost_usd];
  expect((await rows("agent"))[agent]).toBeCloseTo(own + ofTask, 9);
  expect(await rows("agent")).not.toHaveProperty(task);
  const byTask = await rows("task");
  expect(byTask[task]).toBeCloseTo(ofTask, 9);
  expect(byTask["none"]).toBeCloseTo(own, 9);
  expect((await runCortex(system.journal, ["cost", "--by", "task"])).stdout).toContain(`nuts ${task}`);
  const listed = async (id: string) =>
    (await runCortexJson(system.journal, ["runs", "list", "--agent", id])).document["runs"] as { agent: string }[];
  const agents = (await listed(agent.slice(0, 10))).map((run) => run.agent);
  expect(new Set(agents)).toEqual(new Set([agent, task]));
  expect(agents.filter((one) => one === agent)).toHaveLength(2);
  expect((await listed(task)).map((run) => run.agent)).toEqual([task]);
  expect(await runCortex(system.journal, ["runs", "list", "--agent", "nobody"])).toMatchObject({ code: 2 });
});

test("a kill -9 at any step of a turn's end counts nothing twice, and loses nothing", async () => {
  const points: Failpoint[] = ["turn-word-recorded", "reply-stored", "turn-reported", "items-settled", "turn-ended"];
  const agent = await system.main("echoes");
  for (const [at, point] of points.entries()) {
    stop.set(point, 1);
    await alpha.say(`echo ${point}`, { channelId: "echoes" });
    await system.until(() => stop.isReached(), `it stands at ${point}`);
    stop.clear();
    await system.killAgents();
    await alpha.heard(point);
    await system.until(() => system.state(agent).turn === null, "its turn has ended");
    const spent = filesOf(agent);
    expect(await rowOf(agent), point).toMatchObject({
      title: `echo ${points[0]}`,
      messages: 2 * (at + 1),
      input_tokens: spent.input_tokens,
      output_tokens: spent.output_tokens,
      cost_usd: rounded(spent.cost_usd),
    });
  }
});

test("accounts need no runs, go on over a compaction, whose summary is in them, and begin anew at a reset", async () => {
  const agent = await system.main("echoes");
  const before = await rowOf(agent);
  const paid = filesOf(agent);
  expect((await runCortex(system.journal, ["agents", "compact", agent])).code).toBe(0);
  const compacted = await rowOf(agent);
  const spent = filesOf(agent);
  expect(spent.calls).toBe(paid.calls + 1);
  expect(compacted).toMatchObject({
    title: before.title,
    messages: before.messages,
    input_tokens: spent.input_tokens,
    cost_usd: rounded(spent.cost_usd),
  });
  for (const { path } of runFiles(system.journal)) rmSync(path);
  expect(await rowOf(agent)).toEqual(compacted);
  expect((await runCortex(system.journal, ["agents", "reset", agent])).code).toBe(0);
  expect(await rowOf(agent)).toMatchObject({
    title: null,
    messages: 0,
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
  });
});
