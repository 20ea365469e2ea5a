/** What a turn may use is all that it and the tasks may use that it sends off. */
import { afterAll, expect, test } from "vitest";
import { playedUsage } from "../support/providers/played.ts";
import { AgentsSystem } from "./agents-system.ts";

const limits = { max_total_tokens: 1000, max_cost_usd: 0.5 };
const system = await AgentsSystem.start(
  {},
  {
    "personas/main.txt": "You are careful.",
    "personas/main.json": JSON.stringify(limits),
    "personas/task.txt": "You work.",
    "personas/task.json": JSON.stringify({ max_cost_usd: 0.01 }),
  },
);
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");
const aCall = playedUsage.input + playedUsage.output;
const left = limits.max_total_tokens - aCall;

const spawn = (input: string) => ({ tool: "spawn_subagent", args: { description: "work", input } });

/** What an agent's tasks were given, the largest first. */
async function givenBy(agent: string): Promise<Record<string, number>[]> {
  const { tasks } = (await system.command("tasks list")) as { tasks: { taskId: string; parent: string }[] };
  return tasks
    .filter(({ parent }) => parent === agent)
    .map(({ taskId }) => system.state(taskId).task?.limits ?? {})
    .toSorted((a, b) => (b["max_total_tokens"] ?? 0) - (a["max_total_tokens"] ?? 0));
}

test.concurrent("tasks get at most what is left, together, and none when nothing is left", async () => {
  system.think("purse-1", ({ results, said }) => {
    if (said.length > 1) return { text: "." };
    if (results.length === 0) return { calls: [1, 2, 3].map((n) => spawn(`coin-${n}`)) };
    return results.length === 3 ? { calls: [spawn("coin-4")] } : { text: "Nothing is left." };
  });
  system.think("coin-", () => ({ calls: [{ tool: "ls", args: {} }] }));
  await alpha.say("Spend", { channelId: "purse-1" });
  const agent = await system.main("purse-1");
  const refused = () => system.askedOf("purse-1").find(({ results }) => results.length === 1)?.results[0];
  expect(await system.until(refused, "the fourth was answered")).toMatchObject({ isError: true });
  expect(refused()?.text).toContain("nothing is left of max_total_tokens");
  const given = await givenBy(agent);
  const tokens = given.map((one) => one["max_total_tokens"] ?? 0);
  expect(tokens).toEqual([Math.floor(left / 2), Math.floor((left - 435) / 2), Math.floor((left - 435 - 217) / 2)]);
  for (const { max_cost_usd = 0 } of given) {
    expect(max_cost_usd).toBeGreaterThan(0);
    expect(max_cost_usd).toBeLessThan(limits.max_cost_usd / 2);
  }
  // Their runs keep to it: each ends, and is told of, as over its budget.
  const ends = () => system.systemMessages(agent).filter((text) => /failed\][\s\S]*max_total_tokens/.test(text));
  await system.until(() => ends().length === 3, "all have ended");
  expect(system.askedOf("coin-4")).toEqual([]);
});

test.concurrent("what a task is given to go on with is counted, too; its own persona's limits hold", async () => {
  const gate = Promise.withResolvers<void>();
  system.think("purse-2", async ({ results, said, messages }) => {
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
  await alpha.say("Spend", { channelId: "purse-2" });
  const agent = await system.main("purse-2");
  const refused = () => system.askedOf("purse-2").find(({ results }) => results[0]?.isError);
  await system.until(refused, "no more is given");
  const task = await system.task("purse-2");
  // 435 of 870; then half of what the second call has left of it, and of the third.
  expect(system.state(task).task).toMatchObject({ given: { max_total_tokens: 435 + 152 + 11 } });
  expect(refused()?.results[0]?.text).toContain("nothing is left of max_total_tokens");
  const run = system.state(task).turn?.run_id ?? "";
  expect(system.up.file(run)[0]).toMatchObject({ max_total_tokens: 435, max_cost_usd: 0.01 });
  gate.resolve();
  await system.until(() => system.systemMessages(agent).some((text) => text.includes("completed]")), "it is told");
});
