/** Stopping a run: asked, then told, then killed, and nothing of it outlives that. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const system = await CortexSystem.start({
  settings: {
    max_concurrent: 16,
    ...fixtureAgents("scripted", "forever", "deaf-to-term", "late-finish", "setsid-escapee", "lingers-after-finish"),
  },
});
afterAll(() => system[Symbol.asyncDispose]());

const names = (events: AgentEvent[]) => events.map(({ event }) => event);
const living = (backend: string) =>
  system.processes().filter(({ command }) => command.endsWith(`/fixtures/agents/start.js ${backend}`));

test.concurrent("a cancelled run is asked on its stdin first; what it says counts, its own end doesn't", async () => {
  const id = system.request({ prompt: "go", backend: "late-finish" });
  await system.heard(id, "text");
  system.cancel(id);
  const file = await system.settled(id);
  expect(file.slice(2)).toMatchObject([
    { event: "text", text: "working" },
    { event: "text", text: "told to stop" },
    // It left by itself: it doesn't mind TERM, and wasn't killed.
    { event: "error", reason: "cancelled", error: "cancelled", exit_code: 0 },
  ]);
});

test.concurrent("an agent that doesn't read its stdin gets TERM after 2 s", async () => {
  const id = system.request({ prompt: "go", backend: "forever" });
  await system.heard(id, "start");
  const asked = Date.now();
  system.cancel(id);
  const file = await system.settled(id);
  expect(file.at(-1)).toMatchObject({ event: "error", reason: "cancelled", exit_code: 143 });
  expect((file.at(-1)?.ts ?? 0) - asked).toBeGreaterThan(1900);
});

test.concurrent("an agent that is deaf to TERM is killed 10 s later, with its child", async () => {
  const id = system.request({ prompt: "go", backend: "deaf-to-term" });
  await system.heard(id, "text"); // the child's
  const asked = Date.now();
  system.cancel(id);
  const file = await system.settled(id);
  expect(file.map(({ text }) => text)).toContain("SIGTERM? I stay");
  expect(file.at(-1)).toMatchObject({ event: "error", reason: "cancelled", exit_code: 137 });
  expect((file.at(-1)?.ts ?? 0) - asked).toBeGreaterThan(11_800);
  await system.until(() => living("deaf-to-term").length === 0, "nothing of it is left");
  expect(living("deaf-to-term")).toEqual([]);
});

test.concurrent("a process that left the process group is caught as well", async () => {
  const id = system.request({ prompt: "go", backend: "setsid-escapee" });
  await system.heard(id, "text");
  const isEscapee = ({ command }: { command: string }) => /-e setInterval/.test(command);
  expect(system.processes().filter(isEscapee).length).toBeGreaterThan(0);
  system.cancel(id);
  expect((await system.settled(id)).at(-1)).toMatchObject({ reason: "cancelled" });
  await system.until(() => living("setsid-escapee").length === 0, "the agent is gone");
  await system.until(() => !system.processes().some(isEscapee), "what left its group is gone");
  expect([...living("setsid-escapee"), ...system.processes().filter(isEscapee)]).toEqual([]);
});

test.concurrent("a cancel between the acceptance and the start isn't lost", async () => {
  const ids = Array.from({ length: 6 }, () => system.nextId());
  await Promise.all(
    ids.map(async (id) => {
      await system.answerTo({ ts: Number(id), prompt: "go", backend: "forever" });
      system.cancel(id);
    }),
  );
  for (const id of ids) expect((await system.settled(id)).at(-1)).toMatchObject({ reason: "cancelled" });
});

test.concurrent("a second cancel changes nothing", async () => {
  const id = system.request({ prompt: "go", backend: "forever" });
  await system.heard(id, "start");
  system.cancel(id);
  system.cancel(id);
  expect(names(await system.settled(id))).toEqual(["request", "start", "error"]);
});

test.concurrent("a cancel of a run that is unknown, has finished or has ended changes nothing", async () => {
  const id = system.steps([{ ev: { event: "finish", result: "done" } }]);
  await system.settled(id);
  const bytes = system.bytes(id);
  const staying = system.request({ prompt: "go", backend: "lingers-after-finish" });
  await system.heard(staying, "finish");
  system.cancel(id);
  system.cancel(staying);
  system.cancel("1736380800000");
  system.bus.connection.publish("cortex.cancel.no-id", "{}");
  expect((await system.settled(staying)).at(-1)).toMatchObject({ event: "finish" });
  expect(system.bytes(id)).toBe(bytes);
  expect(system.file("1736380800000")).toEqual([]);
});

test.concurrent("the place of a cancelled run is free when its terminal event is heard", async () => {
  await using small = await CortexSystem.start({
    settings: { ...fixtureAgents("scripted", "late-finish"), max_concurrent: 1 },
  });
  const first = small.request({ prompt: "go", backend: "late-finish" });
  await small.heard(first, "text");
  const second = small.request({ prompt: "next" });
  small.cancel(first);
  expect((await small.settled(first)).at(-1)).toMatchObject({ reason: "cancelled" });
  expect((await small.settled(second)).at(-1)).toMatchObject({ result: "echo: next" });
});

test.concurrent("events between the recorded reason and the end are in order, in the file and on the bus", async () => {
  const go = join(system.journal, "go-order");
  const id = system.steps([
    { deaf: true },
    { ev: { event: "text", text: "one" } },
    { hear: true },
    { ev: { event: "finish", result: "late" } },
    { ev: { event: "text", text: "two" } },
    { await: go },
  ]);
  await system.heard(id, "text");
  system.cancel(id);
  await system.until(() => system.of(id).some(({ text }) => text === "two"), "it goes on talking");
  writeFileSync(go, "");
  const file = await system.settled(id);
  expect(file.slice(2).map(({ event, text }) => text ?? event)).toEqual(["one", '{"type":"cancel"}', "two", "error"]);
  expect(system.of(id)).toEqual(file);
});
