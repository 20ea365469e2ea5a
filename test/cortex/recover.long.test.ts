/** The recovery of a cortex that starts: whatever was accepted goes on from where it stands. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { activeFile, endedFile } from "../../journal/runs/run-files.ts";
import { makeRunFolder } from "../../journal/run-folders/run-folder.ts";
import { recordOf } from "../../cortex/plan/run-record.ts";
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import type { Message, RunConfig } from "../../protocol/runs/run-config.ts";
import type { Step } from "../fixtures/agents/scripted.ts";
import { StopPoint } from "../chaos/stop-point.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

const settings = { ...fixtureAgents("scripted", "forever"), max_concurrent: 1 };
const text = (words: string) => ({ ev: { event: "text", text: words } });
const finish = { ev: { event: "finish", result: "done" } };
const names = (events: AgentEvent[]) => events.map(({ event }) => event);
const configOf = (file: AgentEvent[]): RunConfig =>
  JSON.parse(String(file.find(({ event }) => event === "finish")?.["result"]));
const words = (history: Message[] = []) => history.map(({ role, text: said }) => `${role}: ${said ?? ""}`);

/** A run that holds the only place until `go` is there. */
const block = async (system: CortexSystem) => {
  const go = join(system.journal, "go");
  const id = system.steps([text("busy"), { await: go }, finish]);
  await system.heard(id, "text");
  return { id, free: () => writeFileSync(go, "") };
};
const wait = async (system: CortexSystem, fields: Record<string, unknown>): Promise<string> => {
  const id = system.nextId();
  await system.answerTo({ ts: Number(id), prompt: "wait", ...fields });
  return id;
};
/** Writes the file of a run in progress as a cortex that was killed would have left it. */
const leave = (system: CortexSystem, id: string, ...lines: Record<string, unknown>[]) => {
  makeRunFolder(system.journal, id);
  const path = activeFile(system.journal, id);
  mkdirSync(dirname(path), { recursive: true });
  const stamped = lines.map((line, index) => ({ ts: Number(id), agent_id: id, seq: index + 1, ...line }));
  writeFileSync(path, stamped.map((line) => `${JSON.stringify(line)}\n`).join(""));
};

test.concurrent("waiting requests go on waiting after a restart, in the same order, with their hidden values", async () => {
  await using system = await CortexSystem.start({ settings });
  const { id, free } = await block(system);
  const [late, early] = [await wait(system, { priority: 70 }), await wait(system, { priority: 20 })];
  const secret = system.nextId();
  await system.answerTo({ ts: Number(secret), prompt: '[{"env":true}]', env: { A: "shorter" }, priority: 30 });
  await system.killCortex();
  await system.startCortex();
  const status = () => readLiveStatus(system.journal);
  await system.until(() => status()?.pid === system.pid && status()?.queued === 3, "three wait");
  free();
  for (const one of [id, late, early, secret]) await system.settled(one);
  const order = system.events.filter(({ event, agent_id }) => event === "request" && agent_id !== id);
  expect(order.map(({ agent_id }) => agent_id)).toEqual([early, secret, late]);
  expect(configOf(system.file(secret))).toMatchObject({ A: "shorter" });
});

test.concurrent("killed between the claim and the start: the run starts, once, and says nothing twice", async () => {
  await using system = await CortexSystem.start({ settings });
  const source = system.request({ prompt: "source" });
  await system.settled(source);
  const { id: blocker, free } = await block(system);
  const asked = { prompt: "go on", flavour: "x", continue_from: source };
  const [bare, claimed, noted] = [await wait(system, {}), await wait(system, {}), await wait(system, asked)];
  await system.killCortex();
  leave(system, bare);
  leave(system, claimed, { event: "request", prompt: "wait" });
  leave(
    system,
    noted,
    { event: "request", ...asked },
    { event: "info", message: "unknown fields, passed to the backend as they are: flavour" },
  );
  const path = endedFile(system.journal, source);
  const continued = { event: "continue", ts: 1, agent_id: source, seq: 4, to: noted };
  writeFileSync(path, `${readFileSync(path, "utf8")}${JSON.stringify(continued)}\n`);
  await system.startCortex();
  free();
  for (const id of [bare, claimed, blocker]) await system.settled(id);
  expect(names(system.file(bare))).toEqual(["request", "start", "finish"]);
  expect(names(system.file(claimed))).toEqual(["request", "start", "finish"]);
  expect(names(await system.settled(noted))).toEqual(["request", "info", "start", "finish"]);
  expect(system.file(source).filter(({ event }) => event === "continue")).toHaveLength(1);
});

test.concurrent("a run that had its terminal event gets no second one: its finalization is done, once", async () => {
  await using system = await CortexSystem.start({ settings });
  const steps = [text("here"), finish, { await: join(system.journal, "leave") }];
  const id = system.steps(steps, { save: "a.md", day: "20250101", handoff: { prompt: "child" } });
  await system.heard(id, "finish");
  await system.killCortex();
  writeFileSync(join(system.journal, "leave"), "");
  await system.startCortex();
  const file = await system.settled(id);
  expect(names(file)).toEqual(["request", "start", "text", "finish", "saved", "handoff"]);
  const child = String(file.at(-1)?.["to"]);
  await system.settled(child);
  const handed = system.events.filter(({ handoff_from }) => handoff_from === id);
  expect(handed.map(({ agent_id }) => agent_id)).toEqual([child]);
  expect(await system.stored(id)).toEqual(file);
});

test.concurrent("a cortex killed while it closed a file removes the run's folder at its next start", async () => {
  using stop = new StopPoint();
  await using system = await CortexSystem.start({ settings, env: stop.env });
  stop.set("file-committed", 1);
  const id = system.request({ prompt: "x" });
  await system.until(() => stop.isReached(), "its file is closed");
  const { work_folder } = recordOf(system.journal, id) ?? {};
  stop.clear();
  await system.killCortex();
  await system.startCortex();
  await system.settled(id);
  expect(existsSync(String(work_folder))).toBe(false);
});

test.concurrent("killed between the two names of a file: it has ended, and has one name", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.request({ prompt: "x" });
  await system.settled(id);
  const bytes = system.bytes(id);
  await system.killCortex();
  writeFileSync(activeFile(system.journal, id), bytes);
  makeRunFolder(system.journal, id);
  await system.startCortex();
  await system.settled(id);
  expect(existsSync(activeFile(system.journal, id))).toBe(false);
  expect(system.bytes(id)).toBe(bytes);
});

test.concurrent("told to stop, cortex lets runs finish; what can't is taken up at the next start, with its history", async () => {
  const patient = { ...settings, max_concurrent: 8, max_attempts: 1, stop_grace_seconds: 8 };
  await using system = await CortexSystem.start({ settings: patient });
  const go = join(system.journal, "go");
  const call = { tool: "t", args: {}, call_id: "c" };
  const asked: Step[] = [
    text("working"),
    {
      ev: {
        event: "tool_start",
        ...call,
      },
    },
    {
      ev: {
        event: "tool_end",
        ...call,
        result: "r",
      },
    },
    { await: go },
    { config: true as const },
  ];
  const suspended = system.steps(asked, { continue_from: undefined });
  const ready = system.steps([text("nearly"), { hear: true }, finish]);
  await system.heard(suspended, "tool_end");
  await system.heard(ready, "text");
  const stopped = system.stopCortex();
  await system.until(() => system.log.includes('"stopping"'), "it has heard");
  system.input(ready, "finish now");
  const tooLate = system.request({ prompt: "not now" });
  expect(await stopped).toBe(0);
  expect(names(system.file(ready))).toEqual(["request", "start", "text", "input", "text", "finish"]);
  expect(system.file(tooLate)).toEqual([]);
  expect(system.file(suspended).some(isTerminal)).toBe(false);
  const left = () => system.processes().filter(({ command }) => command.includes("agents/start.js"));
  await system.until(() => left().length === 0, "no process is left");

  // A second time, so that there is a third attempt.
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...patient, stop_grace_seconds: 1 }));
  await system.startCortex();
  await system.until(
    () => system.file(suspended).filter(({ event }) => event === "tool_end").length === 2,
    "attempt 2",
  );
  expect(await system.stopCortex()).toBe(0);
  await system.startCortex();
  writeFileSync(go, "");
  const file = await system.settled(suspended);
  const starts = file.filter(({ event }) => event === "start");
  expect(starts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
  const config = configOf(file);
  expect(config.attempt).toBe(3);
  const worked = ["assistant: working", "tool: "];
  const prompt = `user: ${JSON.stringify(asked)}`;
  expect(words(config.history).filter((line) => line !== prompt)).toEqual([...worked, ...worked]);
  expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  expect(await system.stored(suspended)).toEqual(file);
  expect((await system.settled(tooLate)).at(-1)).toMatchObject({ result: "echo: not now" });
});

test.concurrent("a second signal doesn't wait, and what it killed is taken up as well", async () => {
  await using system = await CortexSystem.start({ settings: { ...settings, stop_grace_seconds: 60 } });
  const id = system.request({ prompt: "x", backend: "forever" });
  await system.heard(id, "start");
  const stopped = system.stopCortex();
  await system.until(() => system.log.includes('"stopping"'), "it has heard");
  system.signal("SIGINT");
  expect(await stopped).toBe(0);
  await system.startCortex();
  await system.until(() => names(system.of(id)).filter((name) => name === "start").length === 2, "attempt 2");
  system.cancel(id);
  expect((await system.settled(id)).at(-1)).toMatchObject({ reason: "cancelled" });
});

test.concurrent("when nothing runs .run/runs may be deleted: what was stopped with cortex starts again from its file", async () => {
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  const id = system.steps([text("working"), { await: go }, { config: true }], { env: { A: "secret-a" } });
  await system.heard(id, "text");
  await system.stopCortex();
  rmSync(join(system.journal, ".run/runs"), { recursive: true });
  await system.startCortex();
  writeFileSync(go, "");
  const file = await system.settled(id);
  expect(file.filter(({ event }) => event === "start").map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(configOf(file).history?.some(({ text: said }) => said === "working")).toBe(true);
  expect(file.filter(({ event }) => event === "request")).toHaveLength(1);
});

test.concurrent("a run of which nobody knows the request ends in an error that says so", async () => {
  await using system = await CortexSystem.start({ settings });
  await system.killCortex();
  leave(system, "1736380800000", { event: "request", prompt: "who asked?" });
  await system.startCortex();
  const file = await system.settled("1736380800000");
  expect(names(file)).toEqual(["request", "error"]);
  expect(file.at(-1)?.["error"]).toContain("no longer in the bus's store");
});
