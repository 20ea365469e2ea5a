/** Tasks that send off tasks of their own: they end when those have ended, are told of once, and take them along when they fail. */
import { afterAll, expect, test } from "vitest";
import { callTool } from "../../../bus/agents/agent-calls.ts";
import { publishCancel } from "../../../bus/runs/control.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { AgentsSystem, type Mind } from "../agents-system.ts";
import { sender } from "../sender.ts";

const agents = { join_window_ms: 0, owners: ["alpha:owner"], binding: "shared", max_depth: 3 };
const stop = new StopPoint();
const system = await AgentsSystem.start({ agents }, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
const alpha = await system.channel("alpha");
system.think("[channel: ", sender);
const agent = await system.main("room");

const spawn = (input: string) => ({ tool: "spawn_subagent", args: { description: input, input } });

/** Sends these off, and says how many of them it has heard of when it is called again. */
function trunk(...leaves: string[]): Mind {
  return ({ results, said }) => {
    const heard = said.join("\n").match(/\[Task \w+ (completed|failed)\]/g)?.length ?? 0;
    if (results.length > 0 || heard > 0) return { text: `${heard} of ${leaves.length}` };
    return { calls: leaves.map(spawn) };
  };
}

/** A leaf that works until it is let go. */
function leaf(word: string) {
  const gate = Promise.withResolvers<void>();
  system.think(word, async () => {
    await gate.promise;
    return { text: `${word} is green.` };
  });
  return { letGo: () => gate.resolve(), isAsked: () => system.until(() => system.askedOf(word).length > 0, word) };
}

type Row = { taskId: string; parent: string; description: string; status: string; run_id?: string };
async function rowOf(word: string): Promise<Row> {
  const { tasks } = (await system.command("tasks list")) as { tasks: Row[] };
  const row = tasks.find(({ description }) => description === word);
  if (!row) throw new Error(`no task ${word}`);
  return row;
}

/** Lists what an agent was told of a task, by the headings. */
const toldOf = (task: string, to = agent) =>
  system.systemMessages(to).flatMap((text) => {
    const [, id, how] = /\[Task (\w+) ([a-z ]+)\]/.exec(text) ?? [];
    return id === task ? [how] : [];
  });

test("a task ends when those have ended that it sent off; it is told of once, whatever is killed meanwhile", async () => {
  system.think("trunk-1", trunk("leaf-1a", "leaf-1b"));
  const [a, b] = [leaf("leaf-1a"), leaf("leaf-1b")];
  await alpha.say("do trunk-1");
  await Promise.all([a.isAsked(), b.isAsked()]);
  const { taskId } = await rowOf("trunk-1");
  const leaves = [await rowOf("leaf-1a"), await rowOf("leaf-1b")];
  expect(leaves.map(({ parent }) => parent)).toEqual([taskId, taskId]);
  expect(leaves.map(({ taskId: id }) => system.state(id).task?.depth)).toEqual([2, 2]);
  await system.turns(taskId, 1);
  expect(await rowOf("trunk-1")).toMatchObject({ status: "running" });
  await system.killAgents();
  a.letGo();
  await system.turns(taskId, 2);
  expect(toldOf(taskId)).toEqual([]);
  // One has told its end, and hasn't noted it yet.
  stop.set("turn-reported", 1);
  b.letGo();
  await system.until(() => stop.isReached(), "its end is told");
  stop.clear();
  await system.killAgents();
  await alpha.heard("trunk-1 completed:\n2 of 2");
  await system.killAgents();
  await alpha.say("do nothing more");
  await system.until(() => system.history(agent).at(-1)?.["text"] === "Hm.", "that was answered");
  expect(toldOf(taskId)).toEqual(["completed"]);
  for (const { taskId: id } of leaves) expect(toldOf(id, taskId)).toEqual(["completed"]);
  expect(await rowOf("trunk-1")).toMatchObject({ status: "completed" });
});

test("a task that fails while its own are at work is told of once, and takes them along", async () => {
  const held = Promise.withResolvers<never>();
  system.think("trunk-2", ({ results }) => (results.length > 0 ? held.promise : { calls: [spawn("leaf-2")] }));
  const end = leaf("leaf-2");
  await alpha.say("do trunk-2");
  await end.isAsked();
  const [task, own] = [await rowOf("trunk-2"), await rowOf("leaf-2")];
  const isTrunks = (said: string[]) => !said.join().includes("[channel: ");
  const thinksOn = () => system.askedOf("trunk-2").some(({ said, results }) => isTrunks(said) && results.length > 0);
  await system.until(thinksOn, "it thinks on");
  publishCancel(await system.up.client(), task.run_id ?? "");
  await alpha.heard("trunk-2 failed:\nit was stopped");
  await system.until(() => system.state(own.taskId).task?.state === "failed", "its own has ended");
  expect(system.up.file(own.run_id ?? "").at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
  end.letGo();
  await system.killAgents();
  await alpha.say("do nothing more");
  await system.until(() => system.history(agent).at(-1)?.["text"] === "Hm.", "that was answered");
  expect(toldOf(task.taskId)).toEqual(["failed"]);
  // It knows of it, and had no turn for it.
  expect(toldOf(own.taskId, task.taskId)).toEqual(["failed"]);
  const turns = system.news.filter(({ event, agent_id }) => event === "turn_started" && agent_id === task.taskId);
  expect(turns).toHaveLength(1);
  expect(system.state(task.taskId)).toMatchObject({ lifecycle: "ended", turn: null, task: { state: "failed" } });
});

test("each of three levels tells the one above it of its end, once; the lowest can't send anybody off", async () => {
  system.think("trunk-3", trunk("bough-3"));
  system.think("bough-3", trunk("leaf-3"));
  const gate = Promise.withResolvers<void>();
  system.think("leaf-3", async ({ results }) => {
    if (results.length === 0) return { calls: [spawn("gnat-3")] };
    await gate.promise;
    return { text: "leaf-3 is green." };
  });
  await alpha.say("do trunk-3");
  await system.until(() => system.askedOf("leaf-3").some(({ results }) => results.length > 0), "it has tried");
  const [tree, bough, end] = [await rowOf("trunk-3"), await rowOf("bough-3"), await rowOf("leaf-3")];
  const levels = [agent, tree.taskId, bough.taskId, end.taskId];
  expect([tree, bough, end].map(({ parent }) => parent)).toEqual(levels.slice(0, 3));
  expect(levels.slice(1).map((id) => system.state(id).task?.depth)).toEqual([1, 2, 3]);
  const [first, second] = system.askedOf("leaf-3");
  const { args } = spawn("gnat-3");
  expect(system.askedOf("bough-3")[0]?.tools).toContain("spawn_subagent");
  expect(first?.tools).not.toContain("spawn_subagent");
  expect(second?.results).toEqual([expect.objectContaining({ tool: "spawn_subagent", isError: true })]);
  // Asked past its own process, the tools' server has no such tool for it, and the agents' service no such task.
  const run = end.run_id ?? "";
  expect(await system.callAs(run, "spawn_subagent", args)).toMatchObject({ isError: true });
  const call = { run_id: run, call_id: "beyond", tool: "spawn_subagent", args };
  expect(await callTool(await system.as("mcp-tools"), call)).toMatchObject({
    ok: false,
    error: expect.stringContaining("agents.max_depth is 3"),
  });
  gate.resolve();
  await alpha.heard("trunk-3 completed:\n1 of 1");
  await alpha.say("do nothing more");
  await system.until(() => system.history(agent).at(-1)?.["text"] === "Hm.", "that was answered");
  const told = levels.slice(1).map((task) => levels.map((to) => toldOf(task, to).join()));
  expect(told).toEqual([
    ["completed", "", "", ""],
    ["", "completed", "", ""],
    ["", "", "completed", ""],
  ]);
  expect(system.askedOf("gnat-3")).toEqual([]);
});
