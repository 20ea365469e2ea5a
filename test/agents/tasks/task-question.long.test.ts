/** A question of a task is told once, whatever dies behind it. */
import { afterAll, expect, test } from "vitest";
import { StopPoint } from "../../chaos/stop-point.ts";
import { runCortex } from "../../scripts/run-command.ts";
import { AgentsSystem } from "../agents-system.ts";
import { sender } from "../sender.ts";

const stop = new StopPoint();
const system = await AgentsSystem.start({ agents: { join_window_ms: 0, owners: ["alpha:owner"] } }, {}, stop.env);
afterAll(async () => {
  stop[Symbol.dispose]();
  await system[Symbol.asyncDispose]();
});
const alpha = await system.channel("alpha");
system.think("[channel: ", sender);
const agent = await system.main("room");

test("a task that has asked waits for its answer, also where the end of its turn is told again after a crash", async () => {
  system.think("loft-3", ({ last, results }) => {
    if (last.includes("in large")) return { text: "Painted." };
    if (results.length > 0) return { text: "Which?" };
    const text = last.includes("the red one") ? "Which size?" : "Which colour?";
    return { calls: [{ tool: "notify", args: { text, needs_answer: true } }] };
  });
  await alpha.say("do loft-3");
  await alpha.heard(/^loft-3 asks:/);
  const task = await system.task("loft-3");
  await system.until(() => system.state(agent).turn === null, "nothing else is said");
  stop.set("turn-reported", 1);
  await runCortex(system.journal, ["tasks", "resume", task, "the red one"]);
  await system.until(() => stop.isReached(), "the question is told, and the turn not yet over");
  stop.clear();
  await system.killAgents();
  await system.until(() => system.state(task).turn === null, "its turn is over");
  expect(system.state(task)).toMatchObject({ lifecycle: "active", task: { state: "waiting" } });
  await runCortex(system.journal, ["tasks", "resume", task, "in large"]);
  await alpha.heard("loft-3 completed:\nPainted.");
  const told = system.systemMessages(agent).flatMap((text) => /^<[^>]*>\[Task \w+ ([a-z ]+)\]/.exec(text)?.[1] ?? []);
  expect(told).toEqual(["asks", "needs clarification", "asks", "needs clarification", "completed"]);
});
