/** Ways in which agents that speak ACP differ, and what becomes of their runs. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { putLine } from "../../../proc/runs/run.ts";
import { findSandbox } from "../../../sandbox/sandbox-level.ts";
import { callsIn, CoderSystem, type CoderOptions, realKey, resultOf, smallAgent, tryFetch } from "./coder-system.ts";

const start = (declared: Record<string, unknown>, options: Partial<CoderOptions> = {}) =>
  CoderSystem.start({ backend: "small", declared, ...options });

test("an agent that keeps no sessions is told the conversation as text", async () => {
  await using system = await start(smallAgent("no-load"));
  const first = await system.ask([{ say: "the word is heliotrope" }]);
  await system.ended(first);
  const events = await system.run([{ say: "still here" }], { continue_from: first });
  expect(resultOf(events)).toBe("still here");
  const { body } = system.model.asked.at(-1) ?? {};
  expect(JSON.stringify(body?.["messages"])).toMatch(/<conversation>.*heliotrope/s);
});

test("a call that is announced by its question alone, and a turn that ends when it is denied, are a call and an answer", async () => {
  const rules = [{ tool: "bash", decide: "deny" }];
  await using system = await start(smallAgent("asks-alone", "stops"), { settings: { permissions: rules } });
  const events = await system.run([{ run: "touch forbidden" }, { say: "well then" }]);
  expect(resultOf(events)).toBe("well then");
  expect(callsIn(events)).toMatchObject([{ tool: "bash", isError: true }]);
  // It is told why in a turn of its own, since the agent has ended the one before.
  expect(JSON.stringify(system.model.asked.at(-1)?.body)).toContain("denied by a rule of the user");
  expect(existsSync(join(system.folder, "forbidden"))).toBe(false);
});

test("mode, model and effort are the agent's own, and what can't be applied is named", async () => {
  await using system = await start(smallAgent("options"));
  const wishes = { mode: "plan", model: "m-2", effort: "high" };
  expect(resultOf(await system.run([{ say: "well" }], wishes))).toBe("well");
  const told = JSON.stringify(system.model.asked.at(-1)?.body);
  for (const wish of ["mode: plan", "model: vendor/m-2", "effort: high"]) expect(told).toContain(wish);
  const events = await system.run([{ say: "well" }], { mode: "yolo", effort: "infinite" });
  const notes = events.filter(({ event }) => event === "info").map(({ message }) => message);
  expect(notes).toEqual([
    'mode "yolo" can\'t be applied to this agent: it offers ask, plan',
    'effort "infinite" can\'t be applied to this agent: it offers low, high',
  ]);
});

test("what is said to a run that works is its next turn, and is acknowledged once it was heard", async () => {
  await using system = await start(smallAgent(), { settings: { permissions: [{ tool: "bash", decide: "allow" }] } });
  const id = await system.ask([{ run: "until [ -e go ]; do sleep 0.05; done" }, { hold: "for-input" }]);
  const has = (name: string) => () => system.journal.file(id).some(({ event }) => event === name);
  await system.journal.until(has("tool_start"), "it works");
  await using bus = await system.journal.client();
  bus.connection.publish(`cortex.input.${id}`, JSON.stringify({ id: "i1", text: 'DO [{"say":"and the roses"}]' }));
  await bus.connection.flush();
  await system.journal.until(has("input"), "the input is there");
  // It was put to its process before the end of its call was taken.
  writeFileSync(join(system.folder, "go"), "");
  await system.journal.until(has("tool_end"), "its call has ended");
  // And it was read there when a line behind it was, which says so.
  const folder = attemptFolder(system.journal.path, id, 1);
  await putLine(folder, "[]");
  await system.journal.until(() => readFileSync(join(folder, "err"), "utf8").includes("is passed over"), "it was read");
  system.model.release("for-input");
  const events = await system.ended(id);
  expect(resultOf(events)).toBe("and the roses");
  expect(events.find(({ event }) => event === "text")).toMatchObject({ text: "held" });
  expect(events.filter(({ event }) => event === "input_taken")).toMatchObject([{ id: "i1" }]);
});

test("a change that a link leads out of the run's folder waits for a person", async () => {
  await using system = await start(smallAgent());
  const outside = join(system.folder, "..", "outside.txt");
  symlinkSync("..", join(system.folder, "up"));
  const id = await system.ask([{ write: "up/outside.txt", text: "out" }, { say: "tried" }]);
  const asked = await system.decide(id, "allow");
  expect(asked).toMatchObject({ tool: "edit", why: "it changes what isn't in the run's folder" });
  expect(resultOf(await system.ended(id))).toBe("tried");
  expect(existsSync(outside)).toBe(true);
});

test("an agent that takes no tool server over HTTP has its own tools alone, as the run says", async () => {
  await using system = await start(smallAgent("no-http"));
  const events = await system.run([{ say: "well" }], { tools: ["current_time"] });
  expect(resultOf(events)).toBe("well");
  expect(events.find(({ event }) => event === "info")).toMatchObject({
    message: "small takes no tool server over HTTP: it has its own tools alone",
  });
});

test("an agent that isn't done after its own number of calls has failed, and what it said is kept", async () => {
  await using system = await start(smallAgent("gives-up"));
  const events = await system.run([{ say: "as far as I came" }]);
  expect(resultOf(events)).toMatchObject({
    reason: "provider",
    error: "small wasn't done after as many model calls as it makes: ask for less",
  });
  expect(events.find(({ event }) => event === "text")).toMatchObject({ text: "as far as I came" });
});

test("an agent without a key, and a program that isn't there, say what to do", async () => {
  await using system = await start({ ...smallAgent(), gateway: false });
  expect(resultOf(await system.run([{ say: "well" }]))).toMatchObject({
    reason: "config",
    error: "small has no key and no login: run its program once and log in",
  });
  expect(resultOf(await system.run([{ say: "well" }], { backend: "goose" }))).toMatchObject({
    reason: "config",
    error: expect.stringContaining('its program "goose" is neither an executable file nor on the PATH'),
  });
});

test("a program that leaves at once is a failure with its last words", async () => {
  await using system = await start({ acp: ["sh", "-c", "echo out of order >&2; exit 7"] });
  expect(resultOf(await system.run([{ say: "well" }]))).toMatchObject({
    reason: "provider",
    error: "the agent has left: it exited with code 7: out of order",
  });
});

const found = await findSandbox();

test.skipIf(found.level === "none")(
  "what is declared to work behind a wall has our tools there, asks nobody, and finds neither the key nor a way out",
  async () => {
    await using system = await start({ ...smallAgent(), sandbox: true });
    const { url } = system.model;
    const steps = [
      { write: join(system.folder, "inside.txt"), text: "in" },
      { run: `env; ${tryFetch(url)}` },
      { tool: "current_time" },
      { say: "walled" },
    ];
    const events = await system.run(steps, { tools: ["current_time"] });
    expect(resultOf(events)).toBe("walled");
    expect(events.filter(({ event }) => event === "permission")).toEqual([]);
    expect(existsSync(join(system.folder, "inside.txt"))).toBe(true);
    const results = system.model.asked.at(-1)?.results ?? [];
    expect(results[1]).toContain("no way");
    expect(results.join()).not.toContain(realKey);
    expect(results[2]).toMatch(/20\d\d-\d\d-\d\d/);
  },
);
