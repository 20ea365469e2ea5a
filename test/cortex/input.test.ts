/** Something said to a run while it runs: a line on its stdin, and an event. */
import { afterAll, expect, test } from "vitest";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";

const system = await CortexSystem.start({ settings: fixtureAgents("scripted", "forever") });
afterAll(() => system[Symbol.asyncDispose]());

const finish = { ev: { event: "finish", result: "" } };
const here = { ev: { event: "text", text: "here" } };

test.concurrent("what is said to a run is an event, and a line that the agent reads, in order", async () => {
  const id = system.steps([here, { hear: true }, { hear: true }, finish]);
  await system.heard(id, "text");
  system.input(id, "first\nwith two lines");
  system.input(id, "second");
  const file = await system.settled(id);
  const inputs = file.filter(({ event }) => event === "input").map(({ text }) => text);
  expect(inputs).toEqual(["first\nwith two lines", "second"]);
  const heard = file
    .filter(({ event, text }) => event === "text" && text !== "here")
    .map(({ text }) => JSON.parse(String(text)));
  expect(heard).toEqual(inputs.map((text) => ({ type: "input", text })));
  expect(system.of(id)).toEqual(file);
});

test.concurrent("an agent that doesn't read blocks nobody", async () => {
  const deaf = system.request({ prompt: "x", backend: "forever" });
  await system.heard(deaf, "start");
  for (let n = 0; n < 20; n++) system.input(deaf, "x".repeat(50_000));
  const id = system.steps([here, { hear: true }, finish]);
  await system.heard(id, "text");
  system.input(id, "hello");
  expect((await system.settled(id)).map(({ event }) => event)).toContain("input");
  await system.until(() => system.of(deaf).filter(({ event }) => event === "input").length === 20, "all were taken");
  system.cancel(deaf);
  await system.settled(deaf);
});

test.concurrent("what is no input, or for nobody who runs, is ignored", async () => {
  const id = system.steps([here, { hear: true }, finish]);
  await system.heard(id, "text");
  const { connection } = system.bus;
  for (const text of ["", "no JSON", "{}", '{"text":""}', '{"text":5}', "null"])
    connection.publish(`cortex.input.${id}`, text);
  system.input("1736380800000", "nobody");
  connection.publish("cortex.input.no-id", '{"text":"x"}');
  system.input(id, "the only one");
  const file = await system.settled(id);
  expect(file.filter(({ event }) => event === "input").map(({ text }) => text)).toEqual(["the only one"]);
  const bytes = system.bytes(id);
  system.input(id, "too late");
  const next = system.request({ prompt: "next" });
  await system.settled(next);
  expect(system.bytes(id)).toBe(bytes);
  expect(system.file("1736380800000")).toEqual([]);
});
