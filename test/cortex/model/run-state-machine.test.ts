/** The table of a run's life: total, and with exactly one end, whatever comes in whatever order. */
import { expect, test } from "vitest";
import { nextRun } from "../../../cortex/model/run-state-machine.ts";
import {
  askedMs,
  type Effect,
  type MachineInput,
  leaveMs,
  type Run,
  type RunState,
  terminatedMs,
} from "../../../cortex/model/run-state.ts";
import { isTerminal } from "../../../protocol/runs/event.ts";

const states: RunState[] = ["starting", "running", "stopping", "draining", "closing", "suspended", "fenced", "closed"];
const run = (fields: Partial<Run> = {}): Run => ({
  state: "running",
  hasStart: true,
  stop: null,
  step: "none",
  attempt: 1,
  lost: 0,
  maxAttempts: 3,
  ...fields,
});
const exited = (code: number | null, stop: string | null = null) =>
  ({ type: "gone", exit: { code, stop }, trace: "the trace" }) as const;
const heard = (event: string, fields: Record<string, unknown> = {}) =>
  ({ type: "event", event: { event, ...fields } }) as const;
const stopped = (reason: "cancelled" | "timeout" | "idle" | "budget" | "shutdown") =>
  ({ type: "stop", reason, error: `because of ${reason}` }) as const;

const inputs: MachineInput[] = [
  { type: "started" },
  { type: "startFailed", error: "no", reason: "config" },
  heard("text", { text: "x" }),
  heard("start"),
  heard("finish", { result: "" }),
  heard("error", { error: "no" }),
  heard("error", { error: "a hiccup", terminal: false }),
  ...(["cancelled", "timeout", "idle", "budget", "shutdown"] as const).map(stopped),
  { type: "input", text: "hi", from: "client" },
  { type: "stepTimer" },
  { type: "settled" },
  { type: "resume" },
  { type: "fenced" },
  { type: "adopted", worker: "w", isAlive: true, hasEnded: false, stop: null },
  exited(0),
  exited(3),
  exited(null),
  exited(143, "orphaned"),
];
const kinds = (effects: Effect[]) => effects.map((effect) => ("event" in effect ? effect.event.event : effect.do));

test("every state acts on an input, or says why it changes nothing", () => {
  for (const state of states)
    for (const input of inputs) {
      const { run: after, effects, skipped } = nextRun(run({ state }), input);
      expect(states, `${state} × ${input.type}`).toContain(after.state);
      if (skipped) expect([after, effects], `${state} × ${input.type}`).toEqual([run({ state }), []]);
    }
});

test("what is said to a run without a process is written down for the next one; a living process is told it too", () => {
  const input: MachineInput = { type: "input", text: "hi", from: "client", id: "a" };
  expect(kinds(nextRun(run({ state: "starting" }), input).effects)).toEqual(["input"]);
  expect(kinds(nextRun(run(), input).effects)).toEqual(["input", "ask"]);
});

test("a run that is over acts on nothing", () => {
  for (const state of ["closed", "fenced"] as const)
    for (const input of inputs)
      expect(nextRun(run({ state }), input).skipped, `${state} × ${input.type}`).toBeDefined();
});

test("an adopted run goes on, is stopped further, or leaves, as its file and folder say, and a living one says so first", () => {
  const taken = run({ state: "starting" });
  const adopted = { type: "adopted", worker: "w", isAlive: true, hasEnded: false, stop: null } as const;
  expect(nextRun(taken, adopted)).toEqual({
    run: run(),
    effects: [{ do: "catchUp" }, { do: "append", event: { event: "adopted", worker: "w" } }],
  });
  expect(nextRun(taken, { ...adopted, isAlive: false }).effects).toEqual([{ do: "catchUp" }]);
  const stop = { reason: "cancelled", error: "cancelled" } as const;
  expect(nextRun(taken, { ...adopted, stop })).toEqual({
    run: run({ state: "stopping", step: "asked", stop }),
    effects: [{ do: "catchUp" }],
  });
  expect(nextRun(taken, { ...adopted, stop, hasEnded: true })).toEqual({
    run: run({ state: "draining" }),
    effects: [{ do: "catchUp" }],
  });
});

test("a run whose process is gone is finished only, and hands on what nobody has decided", () => {
  const kindsOf = (isHandedOn: boolean) =>
    kinds(nextRun(run({ state: "starting" }), { type: "finishOnly", isHandedOn }).effects);
  expect(kindsOf(true)).toEqual(["catchUp", "settle"]);
  expect(kindsOf(false)).toEqual(["catchUp", "handOn", "settle"]);
});

/** A generator of pseudo-random numbers, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

test("in 5,000 lives of random inputs each has one terminal event, nothing of the agent's after it, and at most maxAttempts losses", () => {
  for (let seed = 1; seed <= 5_000; seed++) {
    const random = randomFrom(seed);
    let current = run({ state: "starting", hasStart: false, maxAttempts: 1 + (seed % 3) });
    let ends = 0;
    let starts = 0;
    let settles = 0;
    for (let step = 0; step < 40 && current.state !== "closed" && current.state !== "fenced"; step++) {
      const input = inputs[Math.floor(random() * inputs.length)] as MachineInput;
      const { run: after, effects } = nextRun(current, input);
      for (const effect of effects) {
        if (effect.do === "end") ends++;
        if (effect.do === "settle") settles++;
        if (effect.do === "append") {
          expect(ends, `seed ${seed}: nothing is appended after the terminal event`).toBe(0);
          expect(isTerminal(effect.event)).toBe(false);
        }
        if (effect.do === "append" && effect.event["attempt"] !== undefined) starts++;
        if (effect.do === "end") expect(isTerminal(effect.event)).toBe(true);
      }
      current = after;
    }
    expect(ends, `seed ${seed}`).toBeLessThanOrEqual(1);
    expect(settles, `seed ${seed}`).toBeLessThanOrEqual(1);
    expect(starts, `seed ${seed}: one start an attempt`).toBeLessThanOrEqual(current.attempt);
    expect(current.lost).toBeLessThanOrEqual(current.maxAttempts);
    if (current.state === "closed") expect([ends, settles], `seed ${seed}`).toEqual([1, 1]);
  }
});

test("the reason is recorded before anything is said or sent; then asked, 2 s, TERM, 10 s, KILL, and KILL again", () => {
  let { run: current, effects } = nextRun(run(), stopped("cancelled"));
  expect(effects).toEqual([
    { do: "recordStop", reason: "cancelled" },
    { do: "stopClocks" },
    { do: "ask", line: { type: "cancel" } },
    { do: "stepTimer", ms: askedMs },
  ]);
  for (const [signal, ms] of [
    ["SIGTERM", terminatedMs],
    ["SIGKILL", 2000],
    ["SIGKILL", 2000],
  ] as const) {
    ({ run: current, effects } = nextRun(current, { type: "stepTimer" }));
    expect(effects).toEqual([
      { do: "signal", signal },
      { do: "stepTimer", ms },
    ]);
  }
  expect([askedMs, terminatedMs, leaveMs]).toEqual([2000, 10_000, 10_000]);
});

test("the first reason to stop stays", () => {
  const { run: stopping } = nextRun(run(), stopped("timeout"));
  const { run: still, effects } = nextRun(stopping, stopped("cancelled"));
  expect([still, effects]).toEqual([stopping, []]);
  expect(nextRun(still, exited(143)).effects).toContainEqual({
    do: "end",
    event: { event: "error", error: "because of timeout", reason: "timeout", exit_code: 143 },
  });
});

test("a run stopped with cortex gets no end and goes on as the next attempt, which isn't a loss", () => {
  const { run: stopping } = nextRun(run({ maxAttempts: 1 }), stopped("shutdown"));
  const { run: suspended, effects } = nextRun(stopping, exited(143, "shutdown"));
  expect(suspended.state).toBe("suspended");
  expect(kinds(effects)).toEqual(["stopClocks", "suspend"]);
  const { run: again, effects: then } = nextRun(suspended, { type: "resume" });
  expect(again).toMatchObject({ state: "starting", attempt: 2, lost: 0, hasStart: false, stop: null, step: "none" });
  expect(kinds(then)).toEqual(["startAgain"]);
});

test("a loss starts again until there were maxAttempts of them", () => {
  const { run: again, effects } = nextRun(run(), exited(null));
  expect(again).toMatchObject({ state: "starting", attempt: 2, lost: 1 });
  expect(kinds(effects)).toEqual(["stopClocks", "startAgain"]);
  expect(nextRun(run({ lost: 2 }), exited(143, "orphaned")).effects).toMatchObject([
    { do: "stopClocks" },
    { do: "end", event: { event: "error", reason: "interrupted" } },
    { do: "settle" },
  ]);
  expect(nextRun(run({ maxAttempts: 1 }), exited(null)).run.state).toBe("closing");
});

test("an exit explains itself: 0 without a finish, another with its trace", () => {
  expect(nextRun(run(), exited(0)).effects).toContainEqual({
    do: "end",
    event: { event: "error", error: "exited with code 0 without finish event", reason: "crash", exit_code: 0 },
  });
  expect(nextRun(run(), exited(3)).effects).toContainEqual({
    do: "end",
    event: { event: "error", error: "exited with code 3", reason: "crash", exit_code: 3, trace: "the trace" },
  });
});

test("a start is written before whatever else comes first, once an attempt, with the attempt that cortex knows", () => {
  const fresh = run({ hasStart: false, attempt: 2 });
  expect(nextRun(fresh, heard("text", { text: "x" })).effects).toMatchObject([
    { event: { event: "start", attempt: 2 } },
    { event: { event: "text" } },
  ]);
  expect(nextRun(fresh, heard("start", { attempt: 9, model: "m" })).effects).toEqual([
    { do: "append", event: { event: "start", attempt: 2, model: "m" } },
  ]);
  expect(kinds(nextRun(fresh, heard("finish")).effects)).toEqual(["start", "stopClocks", "finish", "stepTimer"]);
  expect(kinds(nextRun(fresh, exited(1)).effects)).toEqual(["stopClocks", "start", "error", "settle"]);
});

test("a run that takes too much is killed at once, with its reason written before", () => {
  const { run: stopping, effects } = nextRun(run(), {
    type: "stop",
    reason: "budget",
    error: "too much",
    atOnce: true,
  });
  expect(stopping).toMatchObject({ state: "stopping", step: "killed" });
  expect(effects.map((effect) => effect.do)).toEqual(["recordStop", "stopClocks", "signal", "stepTimer"]);
  expect(effects).toContainEqual({ do: "signal", signal: "SIGKILL" });
  const end = nextRun(stopping, { ...exited(137), cause: { reason: "crash", error: "killed" } });
  expect(end.effects).toContainEqual({
    do: "end",
    event: { event: "error", error: "too much", reason: "budget", exit_code: 137 },
  });
});

test("an explained end replaces the bare exit code", () => {
  const end = nextRun(run({ hasStart: true }), { ...exited(152), cause: { reason: "budget", error: "its CPU time" } });
  expect(end.effects).toContainEqual({
    do: "end",
    event: { event: "error", error: "its CPU time", reason: "budget", exit_code: 152, trace: "the trace" },
  });
});
