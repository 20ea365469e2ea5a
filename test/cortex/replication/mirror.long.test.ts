/** The files of another worker's runs, in the journal of the host that keeps the bus: the same bytes. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isMirrored, mirroredRuns } from "../../../journal/runs/mirrored-run.ts";
import { dropRunFolder, makeRunFolder } from "../../../journal/run-folders/run-folder.ts";
import { activeFile, endedFile, runState } from "../../../journal/runs/run-files.ts";
import { CortexSystem, fixtureAgents } from "../../support/cortex-system.ts";
import { Worker } from "../../support/workers/worker.ts";

const settings = fixtureAgents("scripted");
const short = { ...settings, lease_seconds: 6, orphan_grace_seconds: 1 };
const there = { labels: ["there"] };
const finish = { ev: { event: "finish", result: "done" } };
const say = (text: string) => ({ ev: { event: "text", text } });

/** Waits until the copy has its final name, and compares it with the original. */
async function expectEqual(system: CortexSystem, worker: Worker, agentId: string): Promise<void> {
  const isThere = () => runState(system.journal, agentId) === "ended" && !isMirrored(system.journal, agentId);
  await system.until(isThere, `the copy of ${agentId} is complete`);
  await system.until(() => runState(worker.journal, agentId) === "ended", "the original has ended");
  // What was said after the terminal event may be copied when the copy has its final name already.
  const original = readFileSync(endedFile(worker.journal, agentId), "utf8");
  await system.until(() => system.bytes(agentId).length >= original.length, `all of ${agentId} is copied`);
  expect(system.bytes(agentId)).toBe(original);
}

test.concurrent("a worker's run is copied byte for byte, also what is too long for the bus, and what comes after its end", async () => {
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, { ...settings, ...there });
  const go = join(system.journal, "go");
  const handoff = { prompt: JSON.stringify([finish]) };
  const id = system.steps([{ long: 3_000_000 }, say("ü\u2028"), { await: go }, finish], { ...there, handoff });
  await system.until(() => system.file(id).some(({ text }) => text === "ü\u2028"), "it is copied while it runs");
  expect(runState(system.journal, id)).toBe("active");
  await system.until(() => system.of(id).some(({ truncated }) => truncated === true), "it is heard, cut");
  writeFileSync(go, "");
  await expectEqual(system, worker, id);
  expect(system.file(id).at(-1)).toMatchObject({ event: "handoff" });
  expect(system.file(id).some(({ truncated }) => truncated === true)).toBe(false);
  // And the host that keeps it can go on from it.
  const next = system.steps([finish], { continue_from: id });
  expect((await system.settled(next)).at(-1)).toMatchObject({ event: "finish" });
  await system.closed(String(system.file(id).at(-1)?.["to"]));
  await system.until(() => mirroredRuns(system.journal).length === 0, "no copy is in progress any more");
});

test.concurrent("killed again and again while it copies, the keeping host has each line once", async () => {
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, { ...settings, ...there });
  const gates = [1, 2, 3, 4].map((gate) => join(system.journal, `gate-${gate}`));
  const burst = { ev: { event: "text", text: "y".repeat(500) }, times: 300 };
  const steps = gates.flatMap((gate) => [{ await: gate }, burst, { long: 1_500_000 }]);
  const ids = [1, 2, 3].map(() => system.steps([...steps, finish], there));
  const copied = () => ids.reduce((sum, id) => sum + system.file(id).length, 0);
  for (const gate of gates) {
    const before = copied();
    writeFileSync(gate, "");
    await system.until(() => copied() > before + 50, "they grow");
    await system.killCortex();
    await system.startCortex();
  }
  for (const id of ids) await expectEqual(system, worker, id);
});

test.concurrent("a run that was the keeping host's own, as it thought, is copied once it knows better", async () => {
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, { ...settings, ...there });
  const lost = system.nextId();
  makeRunFolder(system.journal, lost); // as by a cortex that took it and was too late
  system.steps([say("one"), { long: 2_000_000 }, finish], there, lost);
  const next = system.steps([finish], there);
  await system.until(() => runState(worker.journal, lost) === "ended", "it has ended there");
  await expectEqual(system, worker, next); // its words come later
  expect(runState(system.journal, lost)).toBe("absent");
  await system.stopCortex();
  await system.startCortex();
  await expectEqual(system, worker, lost);
});

test.concurrent("when another worker takes a run over, the copy goes on in the same file; the keeping host goes on from its copy", async () => {
  await using system = await CortexSystem.start({ settings: short });
  await using one = await Worker.start(system, { ...short, ...there });
  await using two = await Worker.start(system, { ...short, ...there, max_concurrent: 1 });
  const go = join(system.journal, "go");
  const steps = [{ long: 2_000_000 }, say("one"), { await: go }, finish];
  const ids = Array.from({ length: 4 }, () => system.steps(steps, there));
  const others = () => ids.filter((id) => one.file(id).length > 0);
  for (const id of ids.slice(0, 2)) await system.heard(id, "text");
  // One that begins later would be lost before what is too long for the bus was copied.
  const hasBegun = (id: string) => one.file(id).length > 0 || two.file(id).length > 0;
  await system.until(
    () => ids.every(hasBegun) && others().length >= 2 && others().every((id) => system.file(id).length >= 4),
    "copied",
  );
  const lost = others();
  await one.end("SIGKILL");
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...short, ...there, max_concurrent: 8 }));
  await system.until(() => lost.every((id) => system.file(id).some(({ attempt }) => attempt === 2)), "taken over");
  writeFileSync(go, "");
  for (const id of ids) {
    await system.until(() => runState(system.journal, id) === "ended" && !isMirrored(system.journal, id), "ended");
    const file = system.file(id);
    expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
    expect(file.at(-1)).toMatchObject({ event: "finish" });
    expect(file.some(({ truncated }) => truncated === true)).toBe(false);
    if (runState(two.journal, id) === "ended") await expectEqual(system, two, id);
  }
  for (const id of lost)
    expect(readFileSync(activeFile(one.journal, id), "utf8").split("\n").slice(0, 4)).toEqual(
      system.bytes(id).split("\n").slice(0, 4),
    );
});

test.concurrent("a run that was this host's own while another worker said everything is copied once it isn't any more", async () => {
  await using system = await CortexSystem.start({ settings });
  await using worker = await Worker.start(system, { ...settings, ...there });
  const id = system.nextId();
  // As a cortex leaves it that was killed before its run began, until its next life sets it aside.
  makeRunFolder(system.journal, id);
  system.steps([say("one"), finish], there, id);
  await system.heard(id, "finish");
  // Behind it: what came before has been read.
  const later = system.steps([finish], there);
  await expectEqual(system, worker, later);
  expect(system.file(id)).toEqual([]);
  dropRunFolder(system.journal, id);
  await expectEqual(system, worker, id);
});
