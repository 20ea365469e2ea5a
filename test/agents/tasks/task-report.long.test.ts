/** The end of a task is told once, and where it was asked for, whichever way it ended and whatever dies meanwhile. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { descriptorOf } from "../../../agents/record/agent-id.ts";
import { publishCancel } from "../../../bus/runs/control.ts";
import { StopPoint } from "../../chaos/stop-point.ts";
import { AgentsSystem } from "../agents-system.ts";
import { sender } from "../sender.ts";

// Owners speak to one agent, wherever they are.
const agents = { join_window_ms: 0, owners: ["alpha:owner", "beta:owner"], binding: "shared" };
const stop = new StopPoint();
const system = await AgentsSystem.start({ agents }, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
const alpha = await system.channel("alpha");
const beta = await system.channel("beta");
system.think("[channel: ", sender);
const agent = await system.main("room");

/** Sends a task off, and resolves with its id and run when its model was asked. */
async function begun(word: string): Promise<{ task: string; run: string }> {
  await alpha.say(`do ${word}`);
  await system.until(() => system.askedOf(word).some(({ system: prompt }) => prompt.includes("Your task")), word);
  const { tasks } = (await system.command("tasks list")) as {
    tasks: { taskId: string; description: string; run_id: string }[];
  };
  const found = tasks.find(({ description }) => description === word);
  return { task: found?.taskId ?? "", run: found?.run_id ?? "" };
}

/** Lists what was told of a task, by the headings. */
const toldOf = (task: string) =>
  system.systemMessages(agent).flatMap((text) => {
    const [, id, how] = /\[Task (\w+) ([a-z ]+)\]/.exec(text) ?? [];
    return id === task ? [how] : [];
  });

test("its end is told where it was asked for, not where its user was last", async () => {
  const gate = Promise.withResolvers<void>();
  system.think("shed-1", async () => {
    await gate.promise;
    return { text: "Swept." };
  });
  await alpha.say("do shed-1", { replyTo: "t1" });
  await system.until(() => system.askedOf("shed-1").some(({ said }) => !said[0]?.includes("[channel")), "it works");
  await beta.say("Meanwhile, hello", { channelId: "lounge" });
  await system.until(() => system.history(agent).at(-1)?.["text"] === "Hm.", "that was answered");
  expect(system.state(agent).last_channel).toMatchObject({ type: "beta", channelId: "lounge" });
  gate.resolve();
  const { channel } = await alpha.heard("shed-1 completed:\nSwept.");
  expect(channel).toEqual({ type: "alpha", channelId: "room", replyTo: "t1" });
  expect(beta.replies).toEqual([]);
});

test("a task that its provider refuses has failed, once", async () => {
  system.think("shed-2", () => ({
    status: 400,
    body: { type: "error", error: { type: "invalid_request_error", message: "no such thing" } },
  }));
  const { task } = await begun("shed-2");
  await alpha.heard(/^shed-2 failed:[\s\S]*no such thing/);
  expect(toldOf(task)).toEqual(["failed"]);
  expect(system.state(task).task?.state).toBe("failed");
});

test("a task that is stopped has failed, once", async () => {
  system.think("shed-3", () => new Promise(() => {}));
  const { task, run } = await begun("shed-3");
  publishCancel(await system.up.client(), run);
  await alpha.heard("shed-3 failed:\nit was stopped");
  expect(toldOf(task)).toEqual(["failed"]);
});

test("a task goes on when the agents' service is killed, and reaches its agent; its end is told once", async () => {
  const gate = Promise.withResolvers<void>();
  system.think("shed-4", async ({ results }) => {
    if (results.length > 0) return { text: "Told." };
    await gate.promise;
    return { calls: [{ tool: "send_agent_message", args: { text: "I am still here" } }] };
  });
  const { task } = await begun("shed-4");
  await system.killAgents();
  gate.resolve();
  await alpha.heard("shed-4 completed:\nTold.");
  await system.killAgents();
  await alpha.say("do nothing more");
  await system.until(() => system.history(agent).at(-1)?.["text"] === "Hm.", "that was answered");
  expect(toldOf(task)).toEqual(["completed"]);
  const wrote = system.systemMessages(agent).filter((text) => text.includes("I am still here"));
  expect(wrote).toEqual([`<system_message origin="agent:${task}">I am still here</system_message>`]);
  // What stands there is what its model read, and reads again after a death, to the byte.
  const [notice = ""] = system.systemMessages(agent).filter((text) => text.includes(`[Task ${task} completed]`));
  const hearing = system.asked.filter(({ said }) => said.includes(notice));
  expect(hearing.some(({ last }) => last === notice)).toBe(true);
  expect(hearing.some(({ last }) => last.endsWith("do nothing more"))).toBe(true);
});

test("a task whose files can't be read after a restart has failed, once; one that had ended is told of no more", async () => {
  const { task: ended } = await doneOf("shed-5");
  const gate = Promise.withResolvers<void>();
  system.think("shed-6", async () => {
    await gate.promise;
    return { text: "Nobody hears this." };
  });
  const { task } = await begun("shed-6");
  for (const spoilt of [task, ended]) writeFileSync(join(system.journal, "agents", spoilt, "state.json"), "{");
  await system.killAgents();
  await system.until(() => toldOf(task).length > 0, "it is told");
  await system.killAgents();
  gate.resolve();
  await doneOf("shed-7");
  expect(toldOf(task)).toEqual(["failed"]);
  expect(toldOf(ended)).toEqual(["completed"]);
});

test("a task that was made, and not yet told what for, begins after a restart", async () => {
  const channel = { type: "alpha", channelId: "room" };
  const key = { kind: "subagent", parent: agent, call: "of a lost answer", name: "shed-8" } as const;
  const descriptor = descriptorOf(key, Date.now());
  const owed = {
    id: `input-${descriptor.id}`,
    ts: Date.now(),
    type: "system",
    origin: `agent:${agent}`,
    text: "shed-8",
  };
  const task = { type: "general", description: "shed-8", owed, state: "running", depth: 1, channel };
  const folder = join(system.journal, "agents", descriptor.id);
  mkdirSync(folder, { recursive: true });
  const { task: _, last_run: __, ...fresh } = system.state((await doneOf("shed-9")).task);
  writeFileSync(join(folder, "state.json"), JSON.stringify({ ...fresh, task }));
  writeFileSync(join(folder, "descriptor.json"), JSON.stringify(descriptor));
  system.think("shed-8", () => ({ text: "Begun." }));
  await system.killAgents();
  await alpha.heard("shed-8 completed:\nBegun.");
  expect(toldOf(descriptor.id)).toEqual(["completed"]);
});

test.each([
  ["and nobody asks again", "loft-1", true],
  ["and its agent asks again", "loft-2", false],
])(
  "a task that was resumed, and not yet told with what, when everything dies, %s, goes on once",
  async (_, word, isOver) => {
    system.think(word, ({ last, results }) => {
      if (last.includes("the red one")) return { text: "Red it is." };
      if (results.length > 0) return { text: "Which?" };
      return { calls: [{ tool: "notify", args: { text: "Which colour?", needs_answer: true } }] };
    });
    await alpha.say(`do ${word}`);
    await alpha.heard(new RegExp(`^${word} asks:`));
    const task = await system.task(word);
    await system.until(() => system.state(agent).turn === null, "nothing else is said");
    stop.set("resumption-kept", 1);
    await alpha.say(`tell ${task} the red one`);
    await system.until(() => stop.isReached(), "it is kept");
    stop.clear();
    const waits = () => system.systemMessages(task).filter((text) => text.includes("the red one"));
    expect(waits()).toEqual([]);
    if (isOver) {
      const run = system.state(agent).turn?.run_id ?? "";
      publishCancel(await system.up.client(), run);
      await system.until(() => system.up.file(run).at(-1)?.["reason"] === "cancelled", "its run is over");
    }
    process.kill(system.pidOf("mcp-tools"), "SIGKILL");
    await system.killAgents();
    await alpha.heard(`${word} completed:\nRed it is.`);
    await system.killAgents();
    await system.restart();
    await doneOf(`behind-${isOver}`);
    expect(waits()).toHaveLength(1);
    expect(toldOf(task)).toEqual(["asks", "needs clarification", "completed"]);
    expect(system.state(task)).toMatchObject({ lifecycle: "ended", turn: null, task: { state: "completed" } });
  },
);

async function doneOf(word: string): Promise<{ task: string }> {
  system.think(word, () => ({ text: "Done." }));
  const begins = await begun(word);
  await alpha.heard(`${word} completed:\nDone.`);
  return begins;
}
