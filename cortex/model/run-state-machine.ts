/**
 * A run's life as a total table: state × input → next state and effects. Pure.
 *
 * - `starting`: its file is claimed and its process is being started.
 * - `running`: the agent works, and what it says counts.
 * - `stopping`: a reason to stop is recorded. The agent is asked, then told, then killed; no end of its own counts now.
 * - `draining`: the agent has written its terminal event, and has a while to leave.
 * - `closing`: nothing of it is left; save, handoff and the file's final name are pending.
 * - `suspended`: stopped together with cortex; the next start takes it up again.
 * - `fenced`: another worker has taken the run over; whatever this one still hears of it is dropped.
 * - `closed`: nothing is pending.
 */
import type { MachineInput, RunTransition, Run, RunState } from "./run-state.ts";
import {
  adopted,
  beginStop,
  fenced,
  finish,
  finishOnly,
  gone,
  heard,
  heardWhileStopping,
  nextLeaveStep,
  nextStopStep,
  noteInput,
  resumed,
  sayInput,
  settled,
  started,
  startFailed,
  stoppedBeforeStart,
} from "./run-transitions.ts";

/** `ignore`: the input may come, and makes no difference. `impossible`: nothing sends it in this state; it is logged. */
type Cell<T extends MachineInput["type"]> =
  | ((run: Run, input: Extract<MachineInput, { type: T }>) => RunTransition)
  | "ignore"
  | "impossible";

type Row = { [T in MachineInput["type"]]: Cell<T> };

const table: Record<RunState, Row> = {
  starting: {
    started,
    startFailed,
    adopted,
    finishOnly,
    event: heard,
    stop: beginStop, // between two attempts
    input: noteInput,
    stepTimer: "ignore", // of the attempt before
    gone,
    settled: "impossible",
    fenced,
    resume: "impossible",
  },
  running: {
    started: "impossible",
    startFailed: "impossible",
    adopted: "impossible",
    finishOnly: "impossible",
    event: heard,
    stop: beginStop,
    input: sayInput,
    stepTimer: "ignore",
    gone,
    settled: "impossible",
    fenced,
    resume: "impossible",
  },
  stopping: {
    started: "ignore", // stopped between two attempts
    startFailed: stoppedBeforeStart,
    adopted: "impossible",
    finishOnly: "impossible",
    event: heardWhileStopping,
    stop: "ignore", // the first reason stays
    input: "ignore",
    stepTimer: nextStopStep,
    gone,
    settled: "impossible",
    fenced,
    resume: "impossible",
  },
  draining: {
    started: "impossible",
    startFailed: finish,
    adopted: "impossible",
    finishOnly: "impossible",
    event: "ignore", // nothing counts after the terminal event
    stop: "ignore",
    input: "ignore",
    stepTimer: nextLeaveStep,
    gone: finish,
    settled: "impossible",
    fenced,
    resume: "impossible",
  },
  closing: {
    started: "impossible",
    startFailed: "ignore", // its end couldn't be written
    adopted: "impossible",
    finishOnly: "impossible",
    event: "ignore",
    stop: "ignore",
    input: "ignore",
    stepTimer: "ignore",
    gone: "impossible",
    settled,
    fenced,
    resume: "impossible",
  },
  suspended: {
    started: "impossible",
    startFailed: "impossible",
    adopted: "impossible",
    finishOnly: "impossible",
    event: "impossible",
    stop: "ignore",
    input: "ignore",
    stepTimer: "ignore",
    gone: "impossible",
    settled: "impossible",
    fenced: "ignore", // the next start asks whose it is
    resume: resumed,
  },
  fenced: {
    started: "ignore", // fenced between two attempts
    startFailed: "ignore",
    adopted: "impossible",
    finishOnly: "impossible",
    event: "ignore",
    stop: "ignore",
    input: "ignore",
    stepTimer: "ignore",
    gone: "ignore",
    settled: "impossible",
    fenced: "ignore",
    resume: "impossible",
  },
  closed: {
    started: "impossible",
    startFailed: "impossible",
    adopted: "impossible",
    finishOnly: "impossible",
    event: "impossible",
    stop: "ignore",
    input: "ignore",
    stepTimer: "ignore",
    gone: "impossible",
    settled: "impossible",
    fenced: "ignore",
    resume: "impossible",
  },
};

/** Gives what a run does next. */
export function nextRun<T extends MachineInput["type"]>(
  run: Run,
  input: Extract<MachineInput, { type: T }>,
): RunTransition {
  const cell = table[run.state][input.type as T] as Cell<T>;
  return typeof cell === "function" ? cell(run, input) : { run, effects: [], skipped: cell };
}
