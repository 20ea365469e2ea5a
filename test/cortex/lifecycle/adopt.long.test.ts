/** Runs that go on, end or run out of time while no cortex lives: nothing of them is lost or doubled. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { workerName } from "../../../journal/access/worker-name.ts";
import { agentOf } from "../../../proc/runs/run.ts";
import type { CortexSystem } from "../../support/cortex-system.ts";
import { AdoptedRuns, finish, names, text } from "./adopted-runs.ts";

const runs = await AdoptedRuns.start();
const { system, clock } = runs;
afterAll(() => runs[Symbol.asyncDispose]());

test("living runs are adopted: same process, each event once, an adopted event", async () => {
  const births = runs.flag("births");
  const steps = (n: number) => [
    { touch: births },
    {
      ...text(`first ${n}`),
      times: 300,
    },
    { await: runs.flag("one") },
    {
      ...text(`second ${n}`),
      times: 300,
    },
    { await: runs.flag("two") },
    {
      ...text(`third ${n}`),
      times: 300,
    },
    finish,
  ];
  const ids = [1, 2, 3].map((n) => system.steps(steps(n)));
  for (const id of ids) await system.heard(id, "text");
  const born = ids.map((id) => agentOf(runs.folderOf(id)));
  await system.killCortex();
  runs.raise("one");
  for (const id of ids)
    await system.until(
      () => readFileSync(join(runs.folderOf(id), "out"), "utf8").includes("second"),
      "it goes on alone",
    );
  await system.startCortex();
  expect(ids.map((id) => agentOf(runs.folderOf(id)))).toEqual(born);
  for (const id of ids) await system.heard(id, "adopted");
  runs.raise("two");
  for (const [index, id] of ids.entries()) {
    const file = await runs.whole(id);
    const said = file
      .filter(({ event }) => event === "text")
      .map(({ text: words, n }) => `${String(words)} ${String(n)}`);
    const expected = ["first", "second", "third"].flatMap((word) =>
      Array.from({ length: 300 }, (_, n) => `${word} ${index + 1} ${n + 1}`),
    );
    expect(said).toEqual(expected);
    expect(file.filter(({ event }) => event === "adopted")).toMatchObject([{ worker: workerName(system.journal) }]);
    expect(file.filter(({ event }) => event === "start")).toHaveLength(1);
    expect(file.at(-1)).toMatchObject({ event: "finish", result: "done" });
  }
  expect(readFileSync(births, "utf8").trim().split("\n")).toHaveLength(3);
});

test("a run that ended meanwhile is closed as usual: saved, handed on, or with its error", async () => {
  const steps = (...end: Parameters<CortexSystem["steps"]>[0]) => [text("here"), { await: runs.flag("ends") }, ...end];
  const finished = system.steps(steps(finish), { save: "a.md", day: "20250101", handoff: { prompt: "child" } });
  const crashed = system.steps(steps({ err: "why" }, { exit: 3 }));
  const silent = system.steps(steps({ exit: 0 }));
  // Its wall clock runs out while nobody looks, after it has finished.
  const late = system.steps(steps(finish), { timeout_seconds: 60 });
  const ids = [finished, crashed, silent, late];
  for (const id of ids) await system.heard(id, "text");
  await system.killCortex();
  runs.raise("ends");
  for (const id of ids) await system.until(() => runs.isGone(id), "it has ended");
  clock.goOn(61);
  await system.startCortex();
  const file = await runs.whole(finished);
  expect(names(file)).toEqual(["request", "start", "text", "finish", "saved", "handoff"]);
  expect((await runs.whole(String(file.at(-1)?.["to"])))[0]).toMatchObject({ prompt: "child", handoff_from: finished });
  expect((await runs.whole(crashed)).at(-1)).toMatchObject({ reason: "crash", exit_code: 3, trace: "why" });
  expect((await runs.whole(silent)).at(-1)).toMatchObject({ reason: "crash", exit_code: 0 });
  expect(names(await runs.whole(late))).toEqual(["request", "start", "text", "finish"]);
});

test("output not yet read when the time is over counts, even if the process still lives", async () => {
  const id = system.steps([text("here"), { await: runs.flag("linger") }, finish, { await: runs.flag("leave") }], {
    timeout_seconds: 60,
  });
  await system.heard(id, "text");
  await system.killCortex();
  runs.raise("linger");
  await system.until(() => readFileSync(join(runs.folderOf(id), "out"), "utf8").includes("finish"), "it has finished");
  clock.goOn(61);
  await system.startCortex();
  await system.heard(id, "finish");
  runs.raise("leave");
  expect(names(await runs.whole(id))).toEqual(["request", "start", "text", "adopted", "finish"]);
});

test("both clocks go on: the wall clock from the start of the run, the idle clock anew", async () => {
  const wall = system.request({ prompt: "x", backend: "forever", timeout_seconds: 3 });
  const idle = system.request({ prompt: "x", backend: "forever", idle_timeout_seconds: 1.5 });
  for (const id of [wall, idle]) await system.heard(id, "start");
  await system.killCortex();
  await system.startCortex();
  expect((await runs.whole(wall)).at(-1)).toMatchObject({ reason: "timeout" });
  expect((await runs.whole(idle)).at(-1)).toMatchObject({ reason: "idle" });
});

test("a finished process that stays has the rest of its 10 s, whoever watches", async () => {
  const id = system.steps([finish, { await: runs.flag("rest") }, { touch: runs.flag("left") }]);
  await system.heard(id, "finish");
  await system.killCortex();
  clock.goOn(-60); // a busy machine may take longer than those 10 s until cortex is there again
  await system.startCortex();
  runs.raise("rest");
  expect(names(await runs.whole(id))).toEqual(["request", "start", "finish"]);
  expect(existsSync(runs.flag("left"))).toBe(true);
});
