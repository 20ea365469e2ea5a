/** The limits of a turn hold for it and for the tasks that it sends off. */
import { afterAll, expect, test } from "vitest";
import { addLimits, RunUsage } from "../../../agents/tasks/task-limits.ts";
import { nothingSpent } from "../../../protocol/runs/spent.ts";
import { playedUsage } from "../../support/providers/played.ts";
import { AgentsSystem } from "../agents-system.ts";

const limits = { max_total_turns: 8, max_total_tokens: 3000, max_cost_usd: 0.5 };
const system = await AgentsSystem.start(
  {},
  {
    "personas/main.txt": "You are careful.",
    "personas/main.json": JSON.stringify(limits),
    "personas/general.txt": "You work.",
    "personas/general.json": JSON.stringify({ task: true, tools: "files", max_cost_usd: 0.01 }),
  },
);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const aCall = playedUsage.input + playedUsage.output;
const left = limits.max_total_tokens - aCall;

const spawn = (input: string) => ({ tool: "spawn_subagent", args: { description: "work", input } });

/** The first lines of the runs of an agent's tasks, the one that was given most first. */
async function runsOf(agent: string): Promise<{ [field: string]: unknown }[]> {
  const { tasks } = (await system.command("tasks list")) as { tasks: { parent: string; last_run?: string }[] };
  return tasks
    .flatMap(({ parent, last_run }) => (parent === agent && last_run ? system.up.file(last_run).slice(0, 1) : []))
    .toSorted((a, b) => Number(b["max_total_tokens"]) - Number(a["max_total_tokens"]));
}

const ends = (agent: string) => system.systemMessages(agent).filter((text) => /(failed|completed)\]/.test(text));
const grantsOf = (run: string) => system.up.file(run).filter(({ event }) => event === "granted");
const firstRun = (agent: string) =>
  system.news.find(({ event, agent_id }) => event === "turn_started" && agent_id === agent)?.run_id ?? "";

test.concurrent("tasks get half of what is left, each, and none when nothing is left", async () => {
  system.think("purse-1", ({ results, said }) =>
    said.length > 1 || results.length > 0 ? { text: "." } : { calls: [1, 2, 3, 4].map((n) => spawn(`coin-${n}`)) },
  );
  // None of them ever has enough.
  system.think("coin-", () => ({ calls: [{ tool: "ls", args: {} }] }));
  await alpha.say("Spend", { channelId: "purse-1" });
  const agent = await system.main("purse-1");
  await system.until(() => ends(agent).length === 3, "all have ended");
  // Each has told its end before it notes its run.
  await system.until(async () => (await runsOf(agent)).length === 3, "their runs are noted");
  const [, second] = system.askedOf("purse-1");
  expect(second?.results.map(({ isError }) => isError)).toEqual([false, false, false, true]);
  expect(second?.results[3]?.text).toContain("max_total_turns is exhausted");
  const given = [Math.floor(left / 2), Math.floor((left - 1435) / 2), Math.floor((left - 1435 - 717) / 2)];
  expect(grantsOf(firstRun(agent)).map((event) => event["limits"])).toEqual(
    given.map((max_total_tokens, at) => ({
      max_total_turns: [3, 2, 1][at],
      max_total_tokens,
      max_cost_usd: expect.closeTo((0.5 - 0.013) / 2 ** (at + 1), 1),
    })),
  );
  // Their runs keep to it, and to what their own persona says.
  expect(await runsOf(agent)).toEqual(
    given.map((max_total_tokens, at) =>
      expect.objectContaining({ max_total_tokens, max_total_turns: [3, 2, 1][at], max_cost_usd: 0.01 }),
    ),
  );
  const calls = (run: { [field: string]: unknown }) =>
    system.up.file(String(run["agent_id"])).filter(({ event }) => event === "usage").length;
  // A call is seen when it has ended: one is beyond the limit, at most.
  for (const run of await runsOf(agent)) expect(calls(run)).toBeLessThanOrEqual(Number(run["max_total_turns"]) + 1);
  expect(system.askedOf("coin-4")).toEqual([]);
});

test.concurrent("a turn can't use the share that it has given away", async () => {
  system.think("purse-2", ({ results, said }) => {
    if (said.length > 1) return { text: "." };
    return { calls: results.length === 0 ? [1, 2, 3].map((n) => spawn(`dime-${n}`)) : [{ tool: "ls", args: {} }] };
  });
  system.think("dime-", () => ({ text: "Done." }));
  await alpha.say("Spend", { channelId: "purse-2" });
  // Eight calls, of which six went away. One more than two is heard of, and ends it.
  await alpha.heard(
    /^I couldn't answer \(budget\): made 3 model calls, the limit max_total_turns is 8, of which 6 went/,
  );
  const run = firstRun(await system.main("purse-2"));
  expect(system.up.file(run).at(-1)).toMatchObject({ event: "error", reason: "budget" });
});

test.concurrent("a share given to a resumed task adds to what it has left, over all its turns", async () => {
  const gate = Promise.withResolvers<void>();
  system.think("purse-3", ({ results, said, messages }) => {
    if (said.length > 1) return { text: "." };
    if (results.length === 0) return { calls: [spawn("penny-1")] };
    const first = messages.flatMap(({ content }) => content).find((block) => block.type === "tool_result");
    const taskId = /"taskId":"(\w+)"/.exec(JSON.stringify(first).replaceAll("\\", ""))?.[1];
    if (results[0]?.isError) return { text: "Nothing is left." };
    return { calls: [{ tool: "resume_task", args: { taskId, input: "more" } }] };
  });
  system.think("penny-1", async () => {
    await gate.promise;
    return { text: "Done." };
  });
  await alpha.say("Spend", { channelId: "purse-3" });
  const agent = await system.main("purse-3");
  const refused = () => system.askedOf("purse-3").find(({ results }) => results[0]?.isError);
  await system.until(refused, "no more is given");
  expect(refused()?.results[0]?.text).toContain("max_total_turns is exhausted");
  const task = await system.task("purse-3");
  // Three of seven; then one of the three that were left after the second call; then none.
  expect(system.state(task).task?.limits).toMatchObject({ max_total_turns: 4 });
  gate.resolve();
  await system.turns(task, 2);
  await system.until(() => system.state(task).task?.limits?.["max_total_turns"] === 2, "both turns are counted");
  const runs = system.news.flatMap(({ event, agent_id, run_id = "" }) =>
    event === "turn_started" && agent_id === task ? [system.up.file(run_id)[0]?.["max_total_turns"]] : [],
  );
  expect(runs).toEqual([3, 3]);
  await system.until(() => system.systemMessages(agent).some((text) => text.includes("completed]")), "it is told");
});

test("a task's limits shrink by the usage of its run and by the shares of its own tasks", () => {
  const use = new RunUsage();
  const event = (name: string, ts: number, more = {}) => ({
    event: name,
    ts,
    seq: 1,
    agent_id: "1736380800000",
    ...more,
  });
  use.applyEvent(event("start", 1000));
  use.applyEvent(event("granted", 2000, { limits: { max_total_tokens: 30, max_total_seconds: 4 } }));
  use.applyEvent(event("start", 3000));
  use.applyEvent(event("finish", 4000));
  const spent = { ...nothingSpent, calls: 2, input_tokens: 60, cost_usd: 0.1 };
  const before = { max_total_tokens: 100, max_total_seconds: 10, max_total_turns: 2, max_cost_usd: 0.1 };
  expect(use.leftOf(before, spent, 0)).toEqual({
    max_total_tokens: 10,
    max_total_seconds: 3,
    max_total_turns: 0,
    max_cost_usd: 0,
  });
  expect(addLimits({ max_total_turns: 1 }, { max_total_turns: 2, max_cost_usd: 5 })).toEqual({ max_total_turns: 3 });
});
