import { afterAll, expect, test } from "vitest";
import { PendingControls } from "../../../cortex/intake/pending-controls.ts";
import { CortexSystem, fixtureAgent } from "../../support/cortex-system.ts";

const stop = { type: "stop", reason: "cancelled", error: "cancelled" } as const;
const hello = { type: "input", text: "hello", from: "client" } as const;

test("pending controls of an id are taken once, in order", () => {
  const words = new PendingControls();
  words.keep("1", hello);
  words.keep("1", stop);
  expect([words.has("1", "stop"), words.has("2", "stop")]).toEqual([true, false]);
  expect(words.takeControls("1")).toEqual([hello, stop]);
  expect(words.takeControls("1")).toEqual([]);
});

test("the latest ids are remembered, and only so many", () => {
  const words = new PendingControls();
  for (let id = 0; id <= 1000; id++) words.keep(String(id), hello);
  expect([words.takeControls("0"), words.takeControls("1000")]).toEqual([[], [hello]]);
});

const system = await CortexSystem.start({
  settings: { default_backend: "scripted", backends: { scripted: fixtureAgent("scripted") } },
});
afterAll(() => system[Symbol.asyncDispose]());

test.concurrent("a cancel right behind its request counts, however quick it is", async () => {
  const ids = Array.from({ length: 8 }, () => system.nextId());
  for (const id of ids) {
    system.request({ prompt: JSON.stringify([{ hear: true }]) }, id);
    system.cancel(id);
  }
  for (const id of ids) expect((await system.ended(id)).at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
});

test.concurrent("an input right behind its request is heard", async () => {
  const id = system.request({ prompt: JSON.stringify([{ hear: true }, { ev: { event: "finish", result: "heard" } }]) });
  system.input(id, "be quick");
  const events = await system.ended(id);
  expect(events.find(({ event }) => event === "text")?.["text"]).toContain("be quick");
  expect(events.filter(({ event }) => event === "input")).toHaveLength(1);
});

test.concurrent("a terminal event tells the totals of the usage that came before it, where the agent tells none", async () => {
  const usage = (input_tokens: number) => ({ ev: { event: "usage", input_tokens, output_tokens: 5, cost_usd: 0.1 } });
  const steps = [usage(10), usage(20), { ev: { event: "finish", result: "done" } }];
  const finished = await system.ended(system.request({ prompt: JSON.stringify(steps) }));
  expect(finished.at(-1)).toMatchObject({
    event: "finish",
    usage: { input_tokens: 30, output_tokens: 10, total_tokens: 40, cost_usd: 0.2 },
  });
  const failed = await system.ended(system.request({ prompt: JSON.stringify([usage(7), { exit: 3 }]) }));
  expect(failed.at(-1)).toMatchObject({ event: "error", reason: "crash", usage: { total_tokens: 12 } });
});
