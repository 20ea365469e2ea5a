/** A run outlives cortex: one that is killed and comes back takes its runs up again, and nothing is lost or doubled. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readToken } from "../../../journal/access/tokens.ts";
import { attemptFolder } from "../../../journal/run-folders/run-folder.ts";
import { workerName } from "../../../journal/access/worker-name.ts";
import { agentOf, exitOf, stopReasonOf } from "../../../proc/runs/run.ts";
import { type AgentEvent, isTerminal } from "../../../protocol/runs/event.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import { CortexSystem, fixtureAgents, movedClock } from "../../support/cortex-system.ts";

/** Says two things, waits to be told, and finishes. */
const patient = `read -r l; echo '{"event":"text","text":"one é"}'; echo '{"event":"text","text":"two"}'; read -r l; echo '{"event":"finish","result":"done"}'`;
const { backends } = fixtureAgents("scripted", "forever", "late-finish", "lingers-after-finish");
const clock = movedClock();
const system = await CortexSystem.start({
  env: clock.env,
  settings: {
    max_concurrent: 100,
    default_backend: "scripted",
    backends: {
      ...backends,
      patient: { command: ["sh", "-c", patient] },
    },
  },
  files: { ".run/programs/mcp-tools.json": JSON.stringify({ pid: 1, url: "http://127.0.0.1:9/mcp" }) },
});
afterAll(async () => {
  await system[Symbol.asyncDispose]();
  clock[Symbol.dispose]();
});

const text = (words: string) => ({ ev: { event: "text", text: words } });
const finish = { ev: { event: "finish", result: "done" } };
const names = (events: AgentEvent[]) => events.map(({ event }) => event);
const flag = (name: string) => join(system.journal, `flag-${name}`);
const raise = (name: string) => writeFileSync(flag(name), "");
const folderOf = (id: string) => attemptFolder(system.journal, id, 1);
const isGone = (id: string) => exitOf(folderOf(id)).code !== null;

/** Each line once, in order, the same on the bus, one terminal event. */
const whole = async (id: string): Promise<AgentEvent[]> => {
  const file = await system.settled(id);
  expect(file.map(({ seq }) => seq)).toEqual(file.map((_, index) => index + 1));
  expect(await system.stored(id)).toEqual(file);
  expect(file.filter(isTerminal)).toHaveLength(1);
  return file;
};

test("living runs are adopted: same process, each event once, an adopted event", async () => {
  const births = flag("births");
  const steps = (n: number) => [
    { touch: births },
    {
      ...text(`first ${n}`),
      times: 300,
    },
    { await: flag("one") },
    {
      ...text(`second ${n}`),
      times: 300,
    },
    { await: flag("two") },
    {
      ...text(`third ${n}`),
      times: 300,
    },
    finish,
  ];
  const ids = [1, 2, 3].map((n) => system.steps(steps(n)));
  for (const id of ids) await system.heard(id, "text");
  const born = ids.map((id) => agentOf(folderOf(id)));
  await system.killCortex();
  raise("one");
  for (const id of ids)
    await system.until(() => readFileSync(join(folderOf(id), "out"), "utf8").includes("second"), "it goes on alone");
  await system.startCortex();
  expect(ids.map((id) => agentOf(folderOf(id)))).toEqual(born);
  for (const id of ids) await system.heard(id, "adopted");
  raise("two");
  for (const [index, id] of ids.entries()) {
    const file = await whole(id);
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
  const steps = (...end: Parameters<CortexSystem["steps"]>[0]) => [text("here"), { await: flag("ends") }, ...end];
  const finished = system.steps(steps(finish), { save: "a.md", day: "20250101", handoff: { prompt: "child" } });
  const crashed = system.steps(steps({ err: "why" }, { exit: 3 }));
  const silent = system.steps(steps({ exit: 0 }));
  // Its wall clock runs out while nobody looks, after it has finished.
  const late = system.steps(steps(finish), { timeout_seconds: 60 });
  const ids = [finished, crashed, silent, late];
  for (const id of ids) await system.heard(id, "text");
  await system.killCortex();
  raise("ends");
  for (const id of ids) await system.until(() => isGone(id), "it has ended");
  clock.goOn(61);
  await system.startCortex();
  const file = await whole(finished);
  expect(names(file)).toEqual(["request", "start", "text", "finish", "saved", "handoff"]);
  expect((await whole(String(file.at(-1)?.["to"])))[0]).toMatchObject({ prompt: "child", handoff_from: finished });
  expect((await whole(crashed)).at(-1)).toMatchObject({ reason: "crash", exit_code: 3, trace: "why" });
  expect((await whole(silent)).at(-1)).toMatchObject({ reason: "crash", exit_code: 0 });
  expect(names(await whole(late))).toEqual(["request", "start", "text", "finish"]);
});

test("output not yet read when the time is over counts, even if the process still lives", async () => {
  const id = system.steps([text("here"), { await: flag("linger") }, finish, { await: flag("leave") }], {
    timeout_seconds: 60,
  });
  await system.heard(id, "text");
  await system.killCortex();
  raise("linger");
  await system.until(() => readFileSync(join(folderOf(id), "out"), "utf8").includes("finish"), "it has finished");
  clock.goOn(61);
  await system.startCortex();
  await system.heard(id, "finish");
  raise("leave");
  expect(names(await whole(id))).toEqual(["request", "start", "text", "adopted", "finish"]);
});

test("both clocks go on: the wall clock from the start of the run, the idle clock anew", async () => {
  const wall = system.request({ prompt: "x", backend: "forever", timeout_seconds: 3 });
  const idle = system.request({ prompt: "x", backend: "forever", idle_timeout_seconds: 1.5 });
  for (const id of [wall, idle]) await system.heard(id, "start");
  await system.killCortex();
  await system.startCortex();
  expect((await whole(wall)).at(-1)).toMatchObject({ reason: "timeout" });
  expect((await whole(idle)).at(-1)).toMatchObject({ reason: "idle" });
});

test("a stop that was begun is brought to its end, for the reason that was recorded", async () => {
  const id = system.request({ prompt: "x", backend: "forever" });
  await system.heard(id, "start");
  system.cancel(id);
  await system.until(() => stopReasonOf(folderOf(id)) === "cancelled", "the reason is recorded");
  await system.killCortex();
  await system.startCortex();
  const file = await whole(id);
  expect(names(file)).toEqual(["request", "start", "error"]);
  expect(file.at(-1)).toMatchObject({ reason: "cancelled" });
});

test("an adopted run hears what is said to it, can be cancelled, and keeps its token until its end", async () => {
  const listening = system.request({ prompt: "x", backend: "patient" });
  const cancelled = system.request({ prompt: "x", backend: "late-finish" });
  await system.heard(cancelled, "text");
  await system.until(() => names(system.of(listening)).length === 4, "it has said both");
  const config: RunConfig = JSON.parse(readFileSync(join(folderOf(listening), "in/1"), "utf8"));
  const token = config.mcp_token ?? "";
  for (const times of [1, 2]) {
    await system.killCortex();
    expect(await readToken(system.journal, token)).toMatchObject({ agent_id: listening });
    await system.startCortex();
    const adopted = () => names(system.file(listening)).filter((name) => name === "adopted");
    await system.until(() => adopted().length === times, "it is adopted");
  }
  expect(await readToken(system.journal, token)).toMatchObject({ agent_id: listening });
  system.input(listening, "go on");
  system.cancel(cancelled);
  const file = await whole(listening);
  expect(names(file)).toEqual(["request", "start", "text", "text", "adopted", "adopted", "input", "finish"]);
  expect((await whole(cancelled)).slice(-2)).toMatchObject([{ text: "told to stop" }, { reason: "cancelled" }]);
  expect(await readToken(system.journal, token)).toBe(null);
});

test("a finished process that stays has the rest of its 10 s, whoever watches", async () => {
  const id = system.steps([finish, { await: flag("rest") }, { touch: flag("left") }]);
  await system.heard(id, "finish");
  await system.killCortex();
  await system.startCortex();
  raise("rest");
  expect(names(await whole(id))).toEqual(["request", "start", "finish"]);
  expect(existsSync(flag("left"))).toBe(true);
});
