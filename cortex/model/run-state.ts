/** The data of a run's state machine: its states, the inputs that it hears, and the effects that it asks for. */
import type { InputAccess } from "../../bus/runs/control.ts";
import type { AttachmentRef, FilePart } from "../../protocol/files/attachment.ts";
import type { ErrorReason } from "../../protocol/events/error-reason.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { Exit } from "../../proc/runs/run.ts";

export type RunState = "starting" | "running" | "stopping" | "draining" | "closing" | "suspended" | "fenced" | "closed";

/** Why a run is stopped from outside. `shutdown` doesn't end it: it only waits for the next start. */
export type StopReason =
  | Extract<ErrorReason, "cancelled" | "timeout" | "idle" | "budget" | "internal" | "loop">
  | "shutdown";

export type Stop = { reason: StopReason; error: string };

export type Run = {
  state: RunState;
  /** Whether this attempt has its `start` event. */
  hasStart: boolean;
  stop: Stop | null;
  /** How far the stopping of the process has come. */
  step: "none" | "asked" | "terminated" | "killed";
  /** Which attempt this is, from 1. */
  attempt: number;
  /** How many attempts were lost. Those that cortex itself stopped don't count. */
  lost: number;
  maxAttempts: number;
};

export type MachineInput =
  | { type: "started" }
  | { type: "startFailed"; error: string; reason: ErrorReason }
  /**
   * A run of an earlier cortex whose process was started is taken up from where its file stands.
   * @field hasEnded its file has a terminal event
   * @field stop why the earlier cortex had begun to stop it
   */
  | { type: "adopted"; worker: string; isAlive: boolean; hasEnded: boolean; stop: Stop | null }
  /**
   * A run whose process is gone, and whose file has its terminal event, is finished.
   * @field isHandedOn what it hands on was decided before its terminal event was written, on this host
   */
  | { type: "finishOnly"; isHandedOn: boolean }
  | { type: "event"; event: EventBody }
  /** @field atOnce: it takes too much to be asked, or to be left the time that it wants */
  | { type: "stop"; reason: StopReason; error: string; atOnce?: true }
  /** @field id: which of an agent's messages it is @field parts: its attachments, once they are stored */
  | { type: "input"; text: string; from: InputAccess; id?: string; attachments?: AttachmentRef[]; parts?: FilePart[] }
  | { type: "stepTimer" }
  /** @field cause: what explains the end, where its exit code alone doesn't */
  | { type: "gone"; exit: Exit; trace: string; cause?: CrashCause | null }
  | { type: "settled" }
  | { type: "fenced" }
  | { type: "resume" };

/** Why a process ended that nobody stopped, as far as it can be told. */
export type CrashCause = { reason: Extract<ErrorReason, "budget" | "crash">; error: string };

export type Effect =
  | { do: "append"; event: EventBody }
  /** The line counts as read and leaves nothing in the file. */
  | { do: "pass" }
  /** The bus gets what it lacks of the file. */
  | { do: "catchUp" }
  /** A terminal event: with all that must stand before it. */
  | { do: "end"; event: EventBody }
  | { do: "ask"; line: { type: "input"; text: string; id?: string; parts?: FilePart[] } | { type: "cancel" } }
  | { do: "recordStop"; reason: StopReason }
  | { do: "signal"; signal: "SIGTERM" | "SIGKILL" }
  | { do: "stepTimer"; ms: number }
  | { do: "stopClocks" }
  /** Decides what a finished run hands on, where that wasn't decided. */
  | { do: "handOn" }
  | { do: "settle" }
  | { do: "startAgain" }
  | { do: "quarantine" }
  | { do: "suspend" };

/** @field skipped: the state doesn't act on the input, because it makes no difference, or because it can't come here */
export type RunTransition = { run: Run; effects: Effect[]; skipped?: "ignore" | "impossible" };

/** Milliseconds that an agent that was asked to stop may take before its group gets TERM. */
export const askedMs = 2000;
/** Milliseconds that a group may take after TERM before it is killed. */
export const terminatedMs = 10_000;
/** Milliseconds that a process may take to leave after its terminal event. */
export const leaveMs = 10_000;
/** A kill is repeated while something is left. */
export const killAgainMs = 2000;
