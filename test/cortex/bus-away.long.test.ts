/** The bus dies, or is away: files go on, and what the bus missed goes out from them, in order. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endedFile } from "../../journal/runs/run-files.ts";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { readRun } from "../support/read-run.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Step } from "../fixtures/agents/scripted.ts";
import { claimsLeft } from "../chaos/invariants.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { patienceMs } from "../support/patience.ts";

const ticking = `let n = 0; const tick = () => { console.log(JSON.stringify({ event: "text", n: ++n })); if (require("fs").existsSync(process.argv[1])) { console.log(JSON.stringify({ event: "finish", result: String(n) })); process.exit(0); } }; setInterval(tick, 5);`;
const settings = fixtureAgents("scripted");
const text = (words: string): Step => ({ ev: { event: "text", text: words } });
const finish: Step = { ev: { event: "finish", result: "done" } };

/** The stream has each line of the file once, in its order. */
const sameInStream = async (system: CortexSystem, id: string): Promise<AgentEvent[]> => {
  const file = system.file(id);
  expect(await system.stored(id)).toEqual(file);
  return file;
};

test.concurrent("nats-server is killed while runs write: nothing is lost, in the file or in the stream, and the order is kept", async () => {
  await using system = await CortexSystem.start({ settings });
  const stop = join(system.journal, "stop-ticking");
  writeFileSync(
    join(system.journal, "cortex.json"),
    JSON.stringify({
      stop_grace_seconds: 1,
      backends: { ticking: { command: [process.execPath, "-e", ticking, stop] } },
    }),
  );
  await system.until(() => system.log.includes("was read again"), "the settings are read");
  const ids = [1, 2, 3].map(() => system.request({ prompt: "x", backend: "ticking" }));
  const written = (id: string) => readRun(system.journal, id)?.events.length ?? 0;
  for (const id of ids) await system.heard(id, "text");
  for (let kill = 0; kill < 3; kill++) {
    const before = ids.map(written);
    system.killBus();
    await system.until(() => ids.every((id, n) => written(id) > (before[n] ?? 0) + 100), "all write on");
    const heard = system.events.length;
    await system.until(() => system.events.length > heard + 100, "the bus is back");
  }
  writeFileSync(stop, "");
  for (const id of ids) {
    await system.closed(id);
    const file = await sameInStream(system, id);
    const numbers = file.filter(({ event }) => event === "text").map(({ n }) => n);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(file.at(-1)).toMatchObject({ event: "finish", result: String(numbers.length) });
    expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  }
});

test.concurrent("a run ends while the bus is away: it is closed and saved, and its child goes out when the bus is back", async () => {
  await using system = await CortexSystem.start({ settings });
  const go = join(system.journal, "go");
  const id = system.steps([text("here"), { await: go }, text("alone"), finish], {
    save: "a.md",
    day: "20250101",
    handoff: { prompt: "child" },
  });
  await system.heard(id, "text");
  await system.stopBus();
  writeFileSync(go, "");
  await system.until(() => existsSync(endedFile(system.journal, id)), "the file is closed");
  expect(readFileSync(join(system.journal, "20250101/a.md"), "utf8")).toBe("done\n");
  await system.startBus();
  await system.closed(id);
  const file = await sameInStream(system, id);
  expect(file.map(({ event }) => event)).toEqual(["request", "start", "text", "text", "finish", "saved", "handoff"]);
  const child = String(file.at(-1)?.["to"]);
  expect((await system.closed(child))[0]).toMatchObject({ handoff_from: id, prompt: "child" });
});

test.concurrent("a run is stopped at its limits while the bus is away, and its terminal event goes out later", async () => {
  const waiter = { command: ["sh", "-c", `read -r config; echo '{"event":"text","text":"here"}'; read -r line`] };
  await using system = await CortexSystem.start({ settings: { backends: { waiter } } });
  const id = system.request({ prompt: "wait", backend: "waiter", timeout_seconds: 4 });
  // Said of one too that was stopped before its process has said anything, as on a busy machine.
  await system.heard(id, "start");
  await system.stopBus();
  await system.until(() => existsSync(endedFile(system.journal, id)), "the file is closed");
  await system.startBus();
  await system.closed(id);
  expect((await sameInStream(system, id)).at(-1)).toMatchObject({ event: "error", reason: "timeout" });
});

test.concurrent("a listener who was there all the time hears each event once, deltas among them", async () => {
  await using system = await CortexSystem.start({ settings });
  const [one, two] = [join(system.journal, "one"), join(system.journal, "two")];
  // No secret has a blank: none of it is held back as the begin of one.
  const delta: Step = { ev: { event: "text_delta", text: "d " } };
  const id = system.steps([text("a"), delta, { await: one }, text("b"), delta, { await: two }, text("c"), finish], {
    stream: true,
  });
  // What is heard and not yet stored when the bus goes is said once more.
  const isStored = async (words: string) => (await system.stored(id)).some((event) => event["text"] === words);
  await system.heard(id, "text_delta");
  await system.until(() => isStored("a"), "its first words are stored");
  await system.stopBus();
  await system.startBus();
  writeFileSync(one, "");
  await system.until(() => system.of(id).some(({ text: words }) => words === "b"), "the bus is back");
  await system.until(() => isStored("b"), "and its next words are stored");
  system.killBus();
  writeFileSync(two, "");
  const file = await system.closed(id);
  const seqs = system.of(id).flatMap(({ seq }) => (seq === undefined ? [] : [seq]));
  expect(seqs).toEqual([...new Set(seqs)]);
  const kept = (await system.stored(id)).filter(({ event }) => event !== "text_delta");
  expect(kept).toEqual(file);
});

test.concurrent("a request that comes after the bus was killed while there was nothing to do is run: claims count from 1 again", async () => {
  await using system = await CortexSystem.start({ settings });
  await system.closed(system.steps([finish]));
  await expect.poll(() => claimsLeft(system.journal), { timeout: patienceMs }).toEqual([]);
  system.killBus();
  await system.until(() => !system.bus.isConnected, "the bus is away");
  await system.until(() => system.bus.isConnected, "the bus is back");
  const next = system.steps([text("one"), finish]);
  expect((await system.closed(next)).at(-1)).toMatchObject({ event: "finish" });
  await sameInStream(system, next);
});

test.concurrent("accepted requests survive the death of the bus and of cortex, at once", async () => {
  await using system = await CortexSystem.start({ settings: { ...settings, max_concurrent: 1 } });
  const go = join(system.journal, "go");
  const blocker = system.steps([text("busy"), { await: go }, finish]);
  await system.heard(blocker, "text");
  const ids: string[] = [];
  for (const priority of [60, 50, 40]) {
    const id = system.nextId();
    expect(await system.answerTo({ ts: Number(id), prompt: "wait", priority })).toMatchObject({ accepted: true });
    ids.push(id);
  }
  system.killBus();
  await system.killCortex();
  await system.until(
    () =>
      system.startCortex().then(
        () => true,
        () => false,
      ),
    "cortex finds the bus again",
  );
  const status = () => readLiveStatus(system.journal);
  await system.until(() => status()?.pid === system.pid && status()?.queued === ids.length, "all of them wait again");
  writeFileSync(go, "");
  for (const id of [blocker, ...ids]) expect((await system.closed(id)).at(-1)).toMatchObject({ event: "finish" });
  const started = ids.map((id) => system.file(id).find(({ event }) => event === "start")?.ts ?? 0);
  expect(started).toEqual(started.toSorted((a, b) => b - a));
  for (const id of [blocker, ...ids]) await sameInStream(system, id);
});

test.concurrent("requests are taken again when the bus is back, and cancel and input are heard", async () => {
  await using system = await CortexSystem.start({ settings });
  const id = system.steps([text("here"), { hear: true }, { hear: true }]);
  await system.heard(id, "text");
  await system.stopBus();
  await system.startBus();
  const answer = await system.answerTo({ ts: Number(system.nextId()), prompt: "after" });
  system.input(id, "still there?");
  await system.heard(id, "input");
  system.cancel(id);
  expect((await system.settled(id)).at(-1)).toMatchObject({ reason: "cancelled" });
  expect((await system.settled(String(answer["agent_id"]))).at(-1)).toMatchObject({ result: "echo: after" });
});
