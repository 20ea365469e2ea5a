/** Inputs that nobody takes: cortex's memory is flat, it is ready, and the next run works. */
import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { PendingControls } from "../../../cortex/intake/pending-controls.ts";
import { addInput, inputBounds, InputCount } from "../../../cortex/model/input-bounds.ts";
import type { MachineInput } from "../../../cortex/model/run-state.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";

const said = (bytes: number): MachineInput => ({ type: "input", text: "x".repeat(bytes), from: "client" });
const stop: MachineInput = { type: "stop", reason: "cancelled", error: "cancelled" };

test("inputs that wait for one run are bounded in number and bytes, and a stop always has room", () => {
  const many: MachineInput[] = [];
  for (let n = 0; n < 1000; n++) addInput(many, said(1));
  expect(many).toHaveLength(inputBounds.waiting.inputs);
  const long: MachineInput[] = [];
  for (let n = 0; n < 1000; n++) addInput(long, said(900_000));
  expect(long).toHaveLength(4);
  expect([addInput(long, stop), addInput(long, stop), long.at(-1)]).toEqual([true, true, stop]);
  expect(long).toHaveLength(5);
});

test("inputs for ids that may never come are bounded, and the latest are kept", () => {
  const words = new PendingControls();
  for (let id = 0; id < 100; id++) words.keep(String(id), said(900_000));
  const kept = Array.from({ length: 100 }, (_, id) => words.takeControls(String(id)).length);
  expect([kept.filter((count) => count === 1).length, kept[99], kept[0]]).toEqual([18, 1, 0]);
});

test("an input that a run has taken makes room, and the total is bounded", () => {
  const count = new InputCount();
  const input = said(1024 * 1024);
  for (let n = 0; n < 64; n++) {
    expect(count.begin(input)).toBe(true);
    count.end(input);
  }
  expect([count.begin(input), count.refused]).toEqual([false, 1]);
});

const system = await CortexSystem.start({ settings: fixtureAgents("scripted", "forever") });
afterAll(() => system[Symbol.asyncDispose]());

const residentMiB = () =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${system.pid}/status`, "utf8"))?.[1]) / 1024;
const fresh = () => system.settled(system.steps([{ ev: { event: "finish", result: "well" } }]));

test("600 MiB of inputs, for ids that there aren't and for a run that reads none, leave memory flat", async () => {
  await fresh();
  const before = residentMiB();
  const deaf = system.request({ prompt: "x", backend: "forever" });
  await system.heard(deaf, "start");
  const text = "x".repeat(900_000);
  for (let n = 0; n < 700; n++) {
    system.input(n % 7 === 0 ? deaf : String(1_736_380_800_000 + n), text);
    if (n % 20 === 0) await system.bus.connection.flush();
  }
  const told = await system.heard(deaf, "info");
  expect(told["message"]).toContain("inputs are refused");
  // What it answers comes behind all of them.
  expect((await fresh()).at(-1)).toMatchObject({ event: "finish", result: "well" });
  expect(residentMiB() - before).toBeLessThan(350);
  system.cancel(deaf);
  const file = await system.settled(deaf);
  expect(file.filter(({ event }) => event === "info")).toHaveLength(1);
  expect(file.at(-1)).toMatchObject({ event: "error", reason: "cancelled" });
});
