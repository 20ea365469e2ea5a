/** The transitions of a run's state machine: each gives the next state and its effects. Pure. */
import type { ErrorReason } from "../../protocol/events/error-reason.ts";
import { type EventBody, isTerminal } from "../../protocol/runs/event.ts";
import {
  askedMs,
  type Effect,
  type MachineInput,
  killAgainMs,
  leaveMs,
  type RunTransition,
  type Run,
  terminatedMs,
} from "./run-state.ts";

type InputOf<T extends MachineInput["type"]> = Extract<MachineInput, { type: T }>;

export const started = (run: Run): RunTransition => ({ run: { ...run, state: "running" }, effects: [] });

/** No process was started, so its end is told here. */
export const startFailed = (run: Run, { error, reason }: InputOf<"startFailed">): RunTransition => ({
  run: { ...run, state: "closing" },
  effects: [{ do: "stopClocks" }, { do: "end", event: { event: "error", error, reason } }, { do: "settle" }],
});

/** The run was to be stopped anyway: its end names the reason of the stop. */
export const stoppedBeforeStart = (run: Run): RunTransition =>
  gone(run, { type: "gone", exit: { code: null, stop: null }, trace: "" });

export const finish = (run: Run): RunTransition => ({ run: { ...run, state: "closing" }, effects: [{ do: "settle" }] });

export const settled = (run: Run): RunTransition => ({ run: { ...run, state: "closed" }, effects: [] });

/** The adoption is told before anything that the process said meanwhile is read: it may have ended by then. */
export function adopted(run: Run, { worker, isAlive, hasEnded, stop }: InputOf<"adopted">): RunTransition {
  if (hasEnded) return { run: { ...run, hasStart: true, state: "draining" }, effects: [{ do: "catchUp" }] };
  if (stop) return { run: { ...run, state: "stopping", step: "asked", stop }, effects: [{ do: "catchUp" }] };
  const told: Effect[] = isAlive ? [{ do: "append", event: { event: "adopted", worker } }] : [];
  return { run: { ...run, state: "running" }, effects: [{ do: "catchUp" }, ...told] };
}

export const finishOnly = (run: Run, { isHandedOn }: InputOf<"finishOnly">): RunTransition => ({
  run: { ...run, hasStart: true, state: "closing" },
  effects: [{ do: "catchUp" }, ...(isHandedOn ? [] : [{ do: "handOn" } as const]), { do: "settle" }],
});

/** Another worker has the run: nothing of it may be said or done here any more. */
export function fenced(run: Run): RunTransition {
  const effects: Effect[] = [{ do: "stopClocks" }, { do: "signal", signal: "SIGKILL" }, { do: "quarantine" }];
  return { run: { ...run, state: "fenced" }, effects };
}

/** A run that was stopped with a cortex that is gone goes on at once. */
export const resumed = (run: Run): RunTransition => again(run);

/** The next attempt. */
function again(run: Run, effects: Effect[] = []): RunTransition {
  const fresh: Run = { ...run, state: "starting", hasStart: false, stop: null, step: "none", attempt: run.attempt + 1 };
  return { run: fresh, effects: [...effects, { do: "startAgain" }] };
}

export function heard(run: Run, { event }: Pick<InputOf<"event">, "event">): RunTransition {
  const effects: Effect[] = [];
  if (!run.hasStart && event.event !== "start") effects.push(startEvent(run, {}));
  if (isTerminal(event)) {
    effects.push({ do: "stopClocks" }, { do: "end", event }, { do: "stepTimer", ms: leaveMs });
    return { run: { ...run, hasStart: true, state: "draining" }, effects };
  }
  effects.push(!run.hasStart && event.event === "start" ? startEvent(run, event) : { do: "append", event });
  return { run: { ...run, hasStart: true }, effects };
}

/** While the run is stopped, an end of its own doesn't count. */
export const heardWhileStopping = (run: Run, { event }: InputOf<"event">): RunTransition =>
  isTerminal(event) ? { run, effects: [{ do: "pass" }] } : heard(run, { event });

/** The agent's own `start`, or ours where it has none, with the attempt that only cortex knows. */
function startEvent(run: Run, event: Partial<EventBody>): Effect {
  return { do: "append", event: { ...event, event: "start", attempt: run.attempt } };
}

export function beginStop(run: Run, { reason, error, atOnce }: InputOf<"stop">): RunTransition {
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

/** An agent that doesn't stop when it is asked gets TERM, then KILL until nothing is left. */
export function nextStopStep(run: Run): RunTransition {
  return run.step === "asked"
    ? signalled(run, "SIGTERM", "terminated", terminatedMs)
    : signalled(run, "SIGKILL", "killed", killAgainMs);
}

/** An agent that stays after its terminal event is ended, too. */
export function nextLeaveStep(run: Run): RunTransition {
  return run.step === "none"
    ? signalled(run, "SIGTERM", "terminated", killAgainMs)
    : signalled(run, "SIGKILL", "killed", killAgainMs);
}

function signalled(run: Run, signal: "SIGTERM" | "SIGKILL", step: Run["step"], ms: number): RunTransition {
  return {
    run: { ...run, step },
    effects: [
      { do: "signal", signal },
      { do: "stepTimer", ms },
    ],
  };
}

/** Writes down an input that comes while there is no process: the next one is given what stands in the file. */
export function noteInput(run: Run, input: InputOf<"input">): RunTransition {
  return { run, effects: [{ do: "append", event: { event: "input", ...wordsOf(input) } }] };
}

export function sayInput(run: Run, input: InputOf<"input">): RunTransition {
  const { effects } = noteInput(run, input);
  return { run, effects: [...effects, { do: "ask", line: { type: "input", ...wordsOf(input) } }] };
}

const wordsOf = ({ text, id, parts }: InputOf<"input">) => ({
  text,
  ...(parts && { parts }),
  ...(id !== undefined && { id }),
});

/** Nothing is left of a process that wrote no terminal event. */
export function gone(run: Run, { exit, trace, cause }: InputOf<"gone">): RunTransition {
  const effects: Effect[] = [{ do: "stopClocks" }];
  if (run.stop?.reason === "shutdown")
    return { run: { ...run, state: "suspended" }, effects: [...effects, { do: "suspend" }] };
  if (run.stop) return ended(run, effects, { error: run.stop.error, reason: run.stop.reason, exit_code: exit.code });
  // Stopped by its watchdog, or lost with its shim: nobody wanted its end, so it gets another attempt.
  if (exit.stop !== null || exit.code === null) {
    const lost = run.lost + 1;
    if (lost < run.maxAttempts) return again({ ...run, lost }, effects);
    const error = `lost ${lost} times: no exit status was recorded, or it had no watchdog`;
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
): RunTransition {
  if (!run.hasStart) effects.push(startEvent(run, {}));
  return {
    run: { ...run, hasStart: true, state: "closing" },
    effects: [...effects, { do: "end", event: { event: "error", ...error } }, { do: "settle" }],
  };
}
