/**
 * A run's life as a total table: state × input → next state and effects. Pure.
 *
 * - `starting`: its file is claimed and its process is being started.
 * - `running`: the agent works, and what it says counts.
 * - `stopping`: a reason to stop is recorded. The agent is asked, then told, then killed; no end of its own counts now.
 * - `draining`: the agent has said its last word, and has a while to leave.
 * - `closing`: nothing of it is left; save, handoff and the file's final name are owed.
 * - `suspended`: stopped together with cortex; the next start takes it up again.
 * - `fenced`: another worker has taken the run over; whatever this one still hears of it is dropped.
 * - `closed`: nothing is owed.
 */
import type { Speaker } from "../../bus/runs/control.ts";
import { type ErrorReason, type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import type { Exit } from "../../proc/runs/run.ts";

export type State = "starting" | "running" | "stopping" | "draining" | "closing" | "suspended" | "fenced" | "closed";

/** Why a run is stopped from outside. `shutdown` doesn't end it: it only waits for the next start. */
export type StopReason = Extract<ErrorReason, "cancelled" | "timeout" | "idle" | "budget" | "internal"> | "shutdown";

export type Run = {
  state: State;
  /** Whether this attempt has its `start` event. */
  hasStart: boolean;
  stop: { reason: StopReason; error: string } | null;
  /** How far the stopping of the process has come. */
  step: "none" | "asked" | "terminated" | "killed";
  /** Which attempt this is, from 1. */
  attempt: number;
  /** How many attempts were lost. Those that cortex itself stopped don't count. */
  lost: number;
  maxAttempts: number;
};

export type Input =
  | { type: "started" }
  | { type: "startFailed"; error: string; reason: ErrorReason }
  | { type: "event"; event: EventBody }
  /** @field atOnce: it takes too much to be asked, or to be left the time that it wants */
  | { type: "stop"; reason: StopReason; error: string; atOnce?: true }
  | { type: "input"; text: string; from: Speaker }
  | { type: "stepTimer" }
  /** @field cause: what explains the end, where its exit code alone doesn't */
  | { type: "gone"; exit: Exit; trace: string; cause?: Cause | null }
  | { type: "settled" }
  | { type: "fenced" }
  | { type: "resume" };

/** Why a process ended that nobody stopped, as far as it can be told. */
export type Cause = { reason: Extract<ErrorReason, "budget" | "crash">; error: string };

export type Effect =
  | { do: "append"; event: EventBody }
  /** The line counts as read and leaves nothing in the file. */
  | { do: "pass" }
  /** A terminal event: with all that must stand before it. */
  | { do: "end"; event: EventBody }
  | { do: "ask"; line: { type: "input"; text: string } | { type: "cancel" } }
  | { do: "recordStop"; reason: StopReason }
  | { do: "signal"; signal: "SIGTERM" | "SIGKILL" }
  | { do: "stepTimer"; ms: number }
  | { do: "stopClocks" }
  | { do: "settle" }
  | { do: "startAgain" }
  | { do: "setAside" }
  | { do: "suspend" };

export type Next = { run: Run; effects: Effect[] };

/** How long an agent that was asked to stop may take before its group gets TERM. */
export const askedMs = 2000;
/** How long a group may take after TERM before it is killed. */
export const terminatedMs = 10_000;
/** How long a process may take to leave after its terminal event. */
export const leaveMs = 10_000;
/** A kill is repeated while something is left. */
const killAgainMs = 2000;

type Row = { [T in Input["type"]]: (run: Run, input: Extract<Input, { type: T }>) => Next };

const stay = (run: Run): Next => ({ run, effects: [] });

const table: Record<State, Row> = {
  starting: {
    ...working(),
    started: (run) => ({ run: { ...run, state: "running" }, effects: [] }),
    startFailed: (run, { error, reason }) => ({
      run: { ...run, state: "closing" },
      effects: [{ do: "stopClocks" }, { do: "end", event: { event: "error", error, reason } }, { do: "settle" }],
    }),
  },
  running: working(),
  stopping: {
    started: stay,
    startFailed: (run) => gone(run, { type: "gone", exit: { code: null, stop: null }, trace: "" }),
    event: (run, { event }) =>
      isTerminal(event) ? { run, effects: [{ do: "pass" }] } : heard(run, { type: "event", event }),
    stop: stay,
    input: stay,
    stepTimer: nextStopStep,
    gone,
    settled: stay,
    fenced,
    resume: stay,
  },
  draining: {
    started: stay,
    startFailed: (run) => ({ run: { ...run, state: "closing" }, effects: [{ do: "settle" }] }),
    event: (run) => ({ run, effects: [{ do: "pass" }] }),
    stop: stay,
    input: stay,
    stepTimer: (run) =>
      run.step === "none"
        ? signalled(run, "SIGTERM", "terminated", killAgainMs)
        : signalled(run, "SIGKILL", "killed", killAgainMs),
    gone: (run) => ({ run: { ...run, state: "closing" }, effects: [{ do: "settle" }] }),
    settled: stay,
    fenced,
    resume: stay,
  },
  closing: { ...over(), fenced, settled: (run) => ({ run: { ...run, state: "closed" }, effects: [] }) },
  suspended: { ...over(), resume: (run) => again(run) },
  fenced: over(),
  closed: over(),
};

/** What a run does next. */
export function next<T extends Input["type"]>(run: Run, input: Extract<Input, { type: T }>): Next {
  return table[run.state][input.type as T](run, input);
}

/** The agent is heard, can be spoken to and stopped, and its end is an end of the run. */
function working(): Row {
  return { ...over(), event: heard, stop: beginStop, input: sayInput, gone, fenced };
}

/** Nothing that comes now matters. */
function over(): Row {
  return {
    started: stay,
    startFailed: stay,
    event: stay,
    stop: stay,
    input: stay,
    stepTimer: stay,
    gone: stay,
    settled: stay,
    fenced: stay,
    resume: stay,
  };
}

/** Another worker has it: nothing of it may be said or done here any more. */
function fenced(run: Run): Next {
  const effects: Effect[] = [{ do: "stopClocks" }, { do: "signal", signal: "SIGKILL" }, { do: "setAside" }];
  return { run: { ...run, state: "fenced" }, effects };
}

function again(run: Run, effects: Effect[] = []): Next {
  const fresh: Run = { ...run, state: "starting", hasStart: false, stop: null, step: "none", attempt: run.attempt + 1 };
  return { run: fresh, effects: [...effects, { do: "startAgain" }] };
}

function heard(run: Run, { event }: { type: "event"; event: EventBody }): Next {
  const effects: Effect[] = [];
  if (!run.hasStart && event.event !== "start") effects.push(startEvent(run, {}));
  if (isTerminal(event)) {
    effects.push({ do: "stopClocks" }, { do: "end", event }, { do: "stepTimer", ms: leaveMs });
    return { run: { ...run, hasStart: true, state: "draining" }, effects };
  }
  effects.push(!run.hasStart && event.event === "start" ? startEvent(run, event) : { do: "append", event });
  return { run: { ...run, hasStart: true }, effects };
}

/** The agent's own `start`, or ours where it has none, with the attempt that only cortex knows. */
function startEvent(run: Run, event: Partial<EventBody>): Effect {
  return { do: "append", event: { ...event, event: "start", attempt: run.attempt } };
}

function beginStop(run: Run, { reason, error, atOnce }: Extract<Input, { type: "stop" }>): Next {
  const stopping: Run = { ...run, state: "stopping", stop: { reason, error }, step: "asked" };
  if (atOnce) {
    const killed = signalled(stopping, "SIGKILL", "killed", killAgainMs);
    return { ...killed, effects: [{ do: "recordStop", reason }, { do: "stopClocks" }, ...killed.effects] };
  }
  return {
    run: stopping,
    effects: [
      { do: "recordStop", reason },
      { do: "stopClocks" },
      { do: "ask", line: { type: "cancel" } },
      { do: "stepTimer", ms: askedMs },
    ],
  };
}

function nextStopStep(run: Run): Next {
  return run.step === "asked"
    ? signalled(run, "SIGTERM", "terminated", terminatedMs)
    : signalled(run, "SIGKILL", "killed", killAgainMs);
}

function signalled(run: Run, signal: "SIGTERM" | "SIGKILL", step: Run["step"], ms: number): Next {
  return {
    run: { ...run, step },
    effects: [
      { do: "signal", signal },
      { do: "stepTimer", ms },
    ],
  };
}

function sayInput(run: Run, { text }: Extract<Input, { type: "input" }>): Next {
  const line = { type: "input", text } as const;
  return {
    run,
    effects: [
      { do: "append", event: { event: "input", text } },
      { do: "ask", line },
    ],
  };
}

/** Nothing is left of the process, and it had said no last word. */
function gone(run: Run, { exit, trace, cause }: Extract<Input, { type: "gone" }>): Next {
  const effects: Effect[] = [{ do: "stopClocks" }];
  if (run.stop?.reason === "shutdown")
    return { run: { ...run, state: "suspended" }, effects: [...effects, { do: "suspend" }] };
  if (run.stop) return ended(run, effects, { error: run.stop.error, reason: run.stop.reason, exit_code: exit.code });
  // Stopped by its watchdog, or lost with its shim: nobody wanted its end, so it gets another attempt.
  if (exit.stop !== null || exit.code === null) {
    const lost = run.lost + 1;
    if (lost < run.maxAttempts) return again({ ...run, lost }, effects);
    const error = `lost ${lost} times: no exit status was recorded, or nobody watched over it`;
    return ended(run, effects, { error, reason: "interrupted", exit_code: exit.code });
  }
  const error = exit.code === 0 ? "exited with code 0 without finish event" : `exited with code ${exit.code}`;
  const why = cause ?? { error, reason: "crash" };
  return ended(run, effects, { ...why, exit_code: exit.code, ...(exit.code === 0 ? {} : { trace }) });
}

function ended(
  run: Run,
  effects: Effect[],
  error: { error: string; reason: ErrorReason; [field: string]: unknown },
): Next {
  if (!run.hasStart) effects.push(startEvent(run, {}));
  return {
    run: { ...run, hasStart: true, state: "closing" },
    effects: [...effects, { do: "end", event: { event: "error", ...error } }, { do: "settle" }],
  };
}
