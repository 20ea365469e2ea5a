/** A full disk where runs' output is kept: nothing is a finish whose output was lost. */
import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { liveRunsFolder } from "../../../journal/run-folders/run-folder.ts";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { noSmallDisk, SmallDisk } from "../../support/files/small-disk.ts";

const diskBytes = 4 * 1024 * 1024;
/** Where runs are stopped, and as large is the reserve. */
const lowBytes = diskBytes / 64;

describe.skipIf(noSmallDisk)("a disk of 4 MiB", () => {
  let system: CortexSystem;
  let disk: SmallDisk;
  let gate: string;
  const reserve = () => statSync(join(liveRunsFolder(system.journal), "reserve"), { throwIfNoEntry: false })?.size ?? 0;

  beforeAll(async () => {
    system = await CortexSystem.start({ settings: fixtureAgents("careless", "scripted") });
    disk = new SmallDisk(liveRunsFolder(system.journal), diskBytes);
    gate = join(system.journal, "gate");
  });
  afterAll(async () => {
    await system.stopCortex();
    disk[Symbol.dispose]();
    await system[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    disk.empty();
    rmSync(gate, { force: true });
    // The first run on a disk with room makes the reserve.
    await system.settled(system.steps([{ ev: { event: "finish", result: "" } }], { backend: "scripted" }));
    expect(reserve()).toBe(lowBytes);
  });

  const numbers = (file: AgentEvent[]) => file.flatMap(({ n }) => (typeof n === "number" ? [n] : []));
  const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

  test("a run that goes on is stopped with internal, and all that it printed before the disk was full stands in its file", async () => {
    const id = system.request({ prompt: gate });
    await system.until(() => numbers(system.file(id)).length === 100, "half is said");
    disk.fill(0);
    writeFileSync(gate, "");
    const file = await system.settled(id);
    expect(file.filter(isTerminal)).toMatchObject([
      { event: "error", reason: "internal", error: expect.stringMatching(/^disk full: \d+ bytes are free/) },
    ]);
    // What it prints while there is no room is lost, and the error says so; what comes once the reserve is given up isn't.
    expect(numbers(file).slice(0, 100)).toEqual(upTo(100));
    expect(numbers(file)).toEqual([...new Set(numbers(file))].toSorted((a, b) => a - b));
    expect(system.log).toContain("the disk of runs' output is full: runs are stopped");
  });

  test("one that prints until the disk is full ends so as well, whatever it says of itself", async () => {
    const id = system.steps([{ ev: { event: "text", text: "x".repeat(10_000) }, times: 1000 }], {
      backend: "scripted",
    });
    const file = await system.settled(id);
    expect(file.find(isTerminal)).toMatchObject({
      event: "error",
      reason: "internal",
      error: expect.stringContaining("disk full"),
    });
    expect(numbers(file)).toEqual(upTo(numbers(file).length));
  });

  test("the reserve is given up first, and with that room a run finishes", async () => {
    const id = system.request({ prompt: gate });
    await system.until(() => numbers(system.file(id)).length === 100, "half is said");
    disk.fill(lowBytes / 2);
    await system.until(() => reserve() < lowBytes, "the reserve is given up");
    writeFileSync(gate, "");
    const file = await system.settled(id);
    expect(file.at(-1)).toMatchObject({ event: "finish", result: "all is said" });
    expect(numbers(file)).toEqual(upTo(200));
  });

  test("a request on a full disk waits until there is room", async () => {
    disk.fill(0);
    writeFileSync(gate, "");
    const id = system.request({ prompt: gate });
    await system.until(() => reserve() === 0, "it has been looked for room");
    expect(existsSync(join(liveRunsFolder(system.journal), id, "1"))).toBe(false);
    disk.empty();
    expect(numbers(await system.settled(id))).toEqual(upTo(200));
  });
});
