/** Lost runs: started again from their log, so often and no oftener. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { exitOf } from "../../../proc/runs/run.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const settings = fixtureAgents("scripted", "forever");
const text = (words: string) => ({ ev: { event: "text", text: words } });
const attempts = (events: AgentEvent[]) =>
  events.filter(({ event }) => event === "start").map(({ attempt }) => attempt);

test.concurrent("a run whose processes are lost gets another attempt, which knows what the former did", async () => {
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  const id = system.steps([text("working"), { await: go }, { config: true }]);
  await system.heard(id, "text");
  system.killAttempt(id, 1);
  await system.until(() => attempts(system.of(id)).length === 2, "attempt 2");
  writeFileSync(go, "");
  const file = await system.settled(id);
  const config: RunConfig = JSON.parse(String(file.at(-1)?.["result"]));
  expect(config.attempt).toBe(2);
  expect(config.history?.filter(({ role }) => role === "assistant")).toMatchObject([{ text: "working" }]);
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "text", "start", "text", "finish"]);
  expect(system.of(id)).toEqual(file);
});

test.concurrent("the next attempt is told the ids of inputs that it knows, and that no model has said to have heard", async () => {
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  const id = system.steps([text("working"), { await: go }, { config: true }]);
  await system.heard(id, "text");
  const say = JSON.stringify({ id: "i1", text: "only May" });
  system.bus.connection.publish(`cortex.input.${id}`, say);
  await system.heard(id, "input");
  system.killAttempt(id, 1);
  await system.until(() => attempts(system.of(id)).length === 2, "attempt 2");
  writeFileSync(go, "");
  const config: RunConfig = JSON.parse(String((await system.settled(id)).at(-1)?.["result"]));
  expect(config.former_inputs).toEqual(["i1"]);
  expect(config.history?.at(-1)).toMatchObject({ role: "user", text: "only May" });
});

test.concurrent("a run is interrupted after its third loss; each attempt knew what each former one did, once", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.steps([text("working"), { hear: true }]);
  const said = () => system.of(id).filter(({ event }) => event === "text").length;
  for (const attempt of [1, 2, 3]) {
    await system.until(() => said() === attempt, `attempt ${attempt}`);
    const line = readFileSync(join(attemptFolder(system.journal, id, attempt), "in/1"), "utf8");
    const { history = [] }: RunConfig = JSON.parse(line);
    expect(history.filter(({ role }) => role === "assistant")).toHaveLength(attempt - 1);
    system.killAttempt(id, attempt);
  }
  const file = await system.settled(id);
  expect(attempts(file)).toEqual([1, 2, 3]);
  expect(file.at(-1)).toMatchObject({
    event: "error",
    reason: "interrupted",
    error: expect.stringContaining("lost 3 times"),
  });
});

test.concurrent("a lost run with max_attempts 1 is not started again", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.request({ prompt: "x", backend: "forever", max_attempts: 1 });
  await system.heard(id, "start");
  system.killAttempt(id, 1);
  const file = await system.settled(id);
  expect(attempts(file)).toEqual([1]);
  expect(file.at(-1)).toMatchObject({ reason: "interrupted" });
});

test.concurrent("a run that ended by itself is not started again, however it ended", async () => {
  await using system = await CortexSystem.start({ settings });
  const ids = [
    system.steps([{ exit: 3 }]),
    system.steps([{ exit: 0 }]),
    system.steps([{ ev: { event: "error", error: "no" } }]),
    system.request({ prompt: "x", backend: "forever", timeout_seconds: 0.5 }),
  ];
  for (const id of ids) expect(attempts(await system.settled(id))).toEqual([1]);
});

test.concurrent("a run's own watchdog stops it without a cortex; the next cortex takes it up again, or ends it", async () => {
  await using system = await CortexSystem.start({ settings: { ...settings, orphan_grace_seconds: 4 } });
  const again = system.request({ prompt: "x", backend: "forever" });
  const never = system.request({ prompt: "x", backend: "forever", max_attempts: 1 });
  const ids = [again, never];
  for (const id of ids) await system.heard(id, "start");
  await system.killCortex();
  const folder = (id: string) => attemptFolder(system.journal, id, 1);
  for (const id of ids) await system.until(() => exitOf(folder(id)).code !== null, "the watchdog has stopped it");
  for (const id of ids) expect(readFileSync(join(folder(id), "stop"), "utf8")).toBe("orphaned\n");
  const left = () => system.processes().filter(({ command }) => command.includes("agents/start.js"));
  await system.until(() => left().length === 0, "no process is left");
  await system.startCortex();
  await system.until(() => attempts(system.of(again)).includes(2), "attempt 2");
  system.cancel(again);
  expect((await system.settled(again)).at(-1)).toMatchObject({ reason: "cancelled" });
  const file = await system.settled(never);
  expect(attempts(file)).toEqual([1]);
  expect(file.at(-1)).toMatchObject({ reason: "interrupted" });
});

test.concurrent("a run outlives cortex for as long as somebody beats for it", async () => {
  await using system = await CortexSystem.start({ settings: { ...settings, orphan_grace_seconds: 16 } });
  const go = join(system.journal, "go");
  const id = system.steps([text("working"), { await: go }, { ev: { event: "finish", result: "done" } }]);
  await system.heard(id, "text");
  // Longer than the grace, in two parts that are each shorter.
  const since = Date.now();
  await system.killCortex();
  await system.startCortex();
  await system.until(() => Date.now() - since > 20_000, "longer than the grace");
  writeFileSync(go, "");
  expect((await system.settled(id)).map(({ event }) => event)).toEqual([
    "request",
    "start",
    "text",
    "adopted",
    "finish",
  ]);
});
