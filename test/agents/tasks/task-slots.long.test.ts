/** How many tasks of an agent are at work at once, and waiting for several of them within a turn. */
import { afterAll, expect, test } from "vitest";
import { AgentsSystem } from "../agents-system.ts";

const agents = { join_window_ms: 0, owners: ["alpha:owner"], binding: "perChannel", max_parallel: 2 };
const system = await AgentsSystem.start({ agents });
afterAll(() => system[Symbol.asyncDispose]());
const alpha = await system.channel("alpha");

const spawn = (input: string) => ({ tool: "spawn_subagent", args: { description: input, input } });
const say = (text: string, channelId: string) => ({ calls: [{ tool: "reply", args: { text, channelId } }] });

/** Tasks that work until they are let go. Whoever sends them off has its mind before them: it hears their words, too. */
function leaves(...words: string[]) {
  const gates = words.map((word) => {
    const gate = Promise.withResolvers<void>();
    system.think(word, async () => {
      await gate.promise;
      return { text: `${word} is green.` };
    });
    return [word, gate] as const;
  });
  return new Map(gates.map(([word, { resolve }]) => [word, resolve]));
}

type Row = { taskId: string; parent: string; description: string; status: string };
async function rowsOf(agent: string): Promise<Record<string, Row>> {
  const { tasks } = (await system.command("tasks list")) as { tasks: Row[] };
  return Object.fromEntries(tasks.filter(({ parent }) => parent === agent).map((row) => [row.description, row]));
}
async function statusesOf(agent: string) {
  return Object.fromEntries(Object.entries(await rowsOf(agent)).map(([word, { status }]) => [word, status]));
}
const isAsked = (word: string) => system.until(() => system.askedOf(word).length > 0, `${word} works`);
const reportsTo = (agent: string) =>
  system.systemMessages(agent).filter((text) => /\[Task \w+ completed\](?!.*task_wait)/.test(text));

test("tasks beyond agents.max_parallel wait, and are told so; each begins in its order, over a kill too", async () => {
  const words = ["leaf-1a", "leaf-1b", "leaf-1c", "leaf-1d"];
  system.think("crowd-1", ({ results, said }) =>
    results.length > 0 || said.length > 1 ? { text: "." } : { calls: words.map(spawn) },
  );
  const letGo = leaves(...words);
  await alpha.say("Send them", { channelId: "crowd-1" });
  const agent = await system.main("crowd-1");
  await system.turns(agent, 1);
  const answers = (system.askedOf("crowd-1")[1]?.results ?? []).map(({ text }) => JSON.parse(text));
  expect(answers.map(({ status }) => status)).toEqual(["running", "running", "queued", "queued"]);
  expect(answers.map(({ note }) => note)).toEqual([
    undefined,
    undefined,
    ...Array.from({ length: 2 }, () => expect.stringContaining("agents.max_parallel is 2")),
  ]);
  await Promise.all([isAsked("leaf-1a"), isAsked("leaf-1b")]);
  await system.killAgents();
  await system.until(() => system.up.isReady("agents"), "the agents are back");
  expect(await statusesOf(agent)).toEqual({
    "leaf-1a": "running",
    "leaf-1b": "running",
    "leaf-1c": "queued",
    "leaf-1d": "queued",
  });
  letGo.get("leaf-1b")?.();
  await isAsked("leaf-1c");
  expect(system.askedOf("leaf-1d")).toEqual([]);
  expect(await statusesOf(agent)).toMatchObject({ "leaf-1a": "running", "leaf-1c": "running", "leaf-1d": "queued" });
  for (const resolve of letGo.values()) resolve();
  await system.until(() => reportsTo(agent).length === 4, "all have ended");
});

test("task_wait for all gives every result within the turn, and no report of theirs starts another", async () => {
  const words = ["leaf-2a", "leaf-2b", "leaf-2c"];
  const ids: string[] = [];
  system.think("crowd-2", ({ results, said }) => {
    if (results[0]?.tool === "task_wait")
      return say(results[0].text.match(/leaf-2\w is green/g)?.join() ?? "", "crowd-2");
    if (results[0]?.tool === "reply" || said.length > 1) return { text: "." };
    if (results.length === 0) return { calls: words.map(spawn) };
    ids.push(...results.map(({ text }) => JSON.parse(text).taskId));
    return { calls: [{ tool: "task_wait", args: { taskIds: ids } }] };
  });
  const letGo = leaves(...words);
  await alpha.say("Send them", { channelId: "crowd-2" });
  const agent = await system.main("crowd-2");
  await Promise.all([isAsked("leaf-2a"), isAsked("leaf-2b")]);
  await system.killAgents();
  for (const resolve of letGo.values()) resolve();
  await alpha.heard("leaf-2a is green,leaf-2b is green,leaf-2c is green");
  await system.turns(agent, 1);
  await alpha.say("And now?", { channelId: "crowd-2" });
  await system.turns(agent, 2);
  expect(reportsTo(agent)).toEqual([]);
  const told = system.systemMessages(agent).filter((text) => text.includes("task_wait has told the result"));
  expect(told.map((text) => /\[Task (\w+) completed\]/.exec(text)?.[1] ?? "").toSorted()).toEqual(ids.toSorted());
});

test("task_wait for the first answers when one has ended; it waits no longer when somebody writes, nor for a stranger's", async () => {
  const words = ["leaf-3a", "leaf-3b"];
  const waits: { done: boolean; interrupted?: string; tasks: (Row & { result?: string })[] }[] = [];
  let ids: string[] = [];
  const wait = (more: Record<string, unknown>) => ({ calls: [{ tool: "task_wait", args: { taskIds: ids, ...more } }] });
  system.think("crowd-3", ({ results, last }) => {
    if (last.includes("Are you there?")) return say("I am here.", "crowd-3");
    if (results.length === 0) return last.includes("Send") ? { calls: words.map(spawn) } : { text: "." };
    if (results[0]?.tool === "reply") return { text: "." };
    if (results[0]?.tool === "spawn_subagent") {
      ids = results.map(({ text }) => JSON.parse(text).taskId);
      return { calls: [...wait({ until: "first" }).calls, { tool: "task_wait", args: { taskIds: ["x"] } }] };
    }
    waits.push(JSON.parse(results[0]?.text ?? ""));
    if (results[1]) expect([results[1].isError, results[1].text]).toEqual([true, expect.stringContaining("no task")]);
    return waits.length === 1 ? wait({ timeout_seconds: 120 }) : { text: "." };
  });
  const letGo = leaves(...words);
  await alpha.say("Send them", { channelId: "crowd-3" });
  const agent = await system.main("crowd-3");
  await Promise.all([isAsked("leaf-3a"), isAsked("leaf-3b")]);
  letGo.get("leaf-3b")?.();
  await system.until(() => waits.length === 1, "the first has ended");
  expect(waits[0]).toMatchObject({ done: true });
  expect(waits[0]?.tasks.map(({ status, result }) => [status, result?.split("\n").at(-1)])).toEqual([
    ["running", undefined],
    ["completed", "leaf-3b is green."],
  ]);
  await alpha.say("Are you there?", { channelId: "crowd-3" });
  await alpha.heard("I am here.");
  expect(waits[1]).toMatchObject({ done: false, interrupted: expect.stringContaining("somebody has written") });
  letGo.get("leaf-3a")?.();
  await system.until(() => reportsTo(agent).length === 1, "the other reports by itself");
});
