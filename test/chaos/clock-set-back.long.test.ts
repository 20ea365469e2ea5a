/** The wall clock is set back an hour while runs are in progress: limits, leases, order and ids are those of before. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isTerminal } from "../../protocol/runs/event.ts";
import { CortexSystem, fixtureAgents } from "../support/cortex-system.ts";
import { joinedAs, Worker } from "../support/workers/worker.ts";
import { programsOf } from "./chaos-system.ts";
import { problemsOf } from "./invariants.ts";

// Far less than the hour that somebody would wait for who went by the wall clock.
const soonMs = 90_000;

const settings = { ...fixtureAgents("scripted", "forever", "lingers-after-finish"), stop_grace_seconds: 1 };
const say = (text: string) => ({ ev: { event: "text", text } });
const finish = { ev: { event: "finish", result: "done" } };

/** A wall clock that can be set, for all processes that get its environment. */
class WallClock implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "cortex-clock-"));
  readonly env: Record<string, string>;

  constructor() {
    const moved = fileURLToPath(new URL("../support/moved-clock.ts", import.meta.url));
    this.env = { NODE_OPTIONS: `--import ${moved}`, MOVED_CLOCK: join(this.#folder, "ms") };
    this.#move(0);
  }

  setBackAnHour(): void {
    this.#move(-3_600_000);
  }

  #move(ms: number): void {
    writeFileSync(join(this.#folder, "ms.new"), String(ms));
    renameSync(join(this.#folder, "ms.new"), join(this.#folder, "ms"));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const problemsSoon = async (system: CortexSystem, ids: string[]): Promise<string[]> => {
  let problems: string[] = [];
  const isRight = async () => (problems = await problemsOf(system, ids, programsOf(system))).length === 0;
  await system.until(isRight, "nothing is wrong").catch(() => {});
  return problems;
};

test.concurrent("a run is stopped at its limits, also by a cortex that started after the clock was set", async () => {
  using clock = new WallClock();
  await using system = await CortexSystem.start({ settings, env: clock.env });
  const limits = { timeout: { timeout_seconds: 3 }, idle: { idle_timeout_seconds: 3 } };
  const ask = () =>
    Object.entries(limits).map(([reason, limit]) => ({
      reason,
      id: system.request({ prompt: "x", backend: "forever", ...limit }),
    }));
  const before = ask();
  for (const { id } of before) await system.heard(id, "start");
  clock.setBackAnHour();
  for (const { id, reason } of before) expect((await system.settled(id, soonMs)).at(-1)).toMatchObject({ reason });

  const after = ask();
  for (const { id } of after) await system.heard(id, "start");
  await system.killCortex();
  await system.startCortex();
  for (const { id, reason } of after) expect((await system.settled(id, soonMs)).at(-1)).toMatchObject({ reason });
  expect(
    await problemsSoon(
      system,
      [...before, ...after].map(({ id }) => id),
    ),
  ).toEqual([]);
});

test.concurrent("requests run in the order in which they came, each under an id of its own", async () => {
  using clock = new WallClock();
  await using system = await CortexSystem.start({ settings: { ...settings, max_concurrent: 1 }, env: clock.env });
  const go = join(system.journal, "go");
  const blocker = system.steps([say("busy"), { await: go }, finish]);
  await system.heard(blocker, "text");
  const ask = async () => {
    const answer = await system.answerTo({ prompt: JSON.stringify([finish]), backend: "scripted" });
    return String(answer["agent_id"]);
  };
  const ids = [await ask(), await ask()];
  clock.setBackAnHour();
  ids.push(await ask(), await ask());
  await system.killCortex();
  await system.startCortex();
  ids.push(await ask());
  writeFileSync(go, "");
  for (const id of [blocker, ...ids]) await system.settled(id, soonMs);
  expect(new Set([blocker, ...ids]).size).toBe(ids.length + 1);
  const started = system.events.filter(({ event, agent_id }) => event === "start" && agent_id !== blocker);
  expect(started.map(({ agent_id }) => agent_id)).toEqual(ids);
  expect(await problemsSoon(system, [blocker, ...ids])).toEqual([]);
});

test.concurrent("a run in progress is adopted as it is, and one that lingers after its end is not waited for", async () => {
  using clock = new WallClock();
  await using system = await CortexSystem.start({ settings, env: clock.env });
  const go = join(system.journal, "go");
  const id = system.steps([say("one"), { await: go }, say("two"), finish]);
  const lingering = system.request({ prompt: "x", backend: "lingers-after-finish" });
  await system.heard(id, "text");
  await system.heard(lingering, "finish");
  await system.killCortex();
  clock.setBackAnHour();
  await system.startCortex();
  writeFileSync(go, "");
  const file = await system.settled(id, soonMs);
  expect(file.map(({ event }) => event).filter((event) => event !== "adopted")).toEqual([
    "request",
    "start",
    "text",
    "text",
    "finish",
  ]);
  expect((await system.settled(lingering, soonMs)).filter(isTerminal)).toMatchObject([{ event: "finish" }]);
  expect(await problemsSoon(system, [id, lingering])).toEqual([]);
});

test.concurrent("a living worker keeps its run, and a lost one is missed", async () => {
  using clock = new WallClock();
  const leased = { ...settings, lease_seconds: 1, orphan_grace_seconds: 4 };
  await using system = await CortexSystem.start({ settings: { ...leased, labels: ["here"] }, env: clock.env });
  const joined = { ...joinedAs(system), env: { ...joinedAs(system).env, ...clock.env } };
  await using keeper = await Worker.start(system, { ...leased, labels: ["kept"] }, joined);
  await using lost = await Worker.start(system, { ...leased, labels: ["lost"] }, joined);
  const go = join(system.journal, "go");
  const steps = [say("one"), { await: go }, finish];
  const kept = system.steps(steps, { labels: ["kept"] });
  const moved = system.steps(steps, { labels: ["lost"] });
  for (const id of [kept, moved]) await system.heard(id, "text");
  writeFileSync(join(system.journal, "cortex.json"), JSON.stringify({ ...leased, labels: ["here", "kept", "lost"] }));
  await system.until(() => system.log.includes("was read again"), "the settings are read");
  await lost.end("SIGKILL");
  clock.setBackAnHour();
  await system.until(() => system.file(moved).some(({ attempt }) => attempt === 2), "the second attempt", soonMs);
  writeFileSync(go, "");
  const attempts = async (id: string) =>
    (await system.settled(id, soonMs)).filter(({ event }) => event === "start").map(({ attempt }) => attempt);
  expect(await attempts(moved)).toEqual([1, 2]);
  expect(await attempts(kept)).toEqual([1]);
  expect(keeper.file(kept).filter(isTerminal)).toMatchObject([{ event: "finish" }]);
  expect(await problemsSoon(system, [kept, moved])).toEqual([]);
});
