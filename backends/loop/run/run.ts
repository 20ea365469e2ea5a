/** One run, as its backend sees it: its configuration, its output, its inputs, and its end when it fails. */
import type { EventBody } from "../../../protocol/runs/event.ts";
import type { RunConfig } from "../../../protocol/runs/run-config.ts";
import type { Clock } from "../../provider/clock.ts";
import { messageWithCauses, RunFailure } from "../../provider/failure.ts";
import type { Inbox } from "./inbox.ts";

/** Resolves when the event has been handed to the system, so that a slow reader slows the run. */
export type Emit = (event: EventBody) => Promise<void>;

export type Run = {
  config: RunConfig;
  environment: NodeJS.ProcessEnv;
  emit: Emit;
  inbox: Inbox;
  clock: Clock;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
};

/**
 * Runs an agent up to its `finish` event.
 * Contract: throws RunFailure for what can be expected, and whatever it likes once `run.signal` is aborted.
 */
export type Backend = (run: Run) => Promise<void>;

/**
 * Runs one agent to its terminal event. Never throws: a failure is an `error` event. Returns whether it finished.
 * `backendOf` finds the backend of a name, or throws RunFailure.
 */
export async function runAgent(run: Run, backendOf: (name: string) => Backend | Promise<Backend>): Promise<boolean> {
  try {
    const backend = await backendOf(run.config.backend ?? "offline");
    await backend(run);
    return true;
  } catch (error) {
    await run.emit(run.signal.aborted ? { event: "error", error: "cancelled", reason: "cancelled" } : failed(error));
    return false;
  }
}

function failed(error: unknown): EventBody {
  if (error instanceof RunFailure) {
    const { message, reason, detail } = error;
    return { event: "error", error: message, reason, ...(detail !== undefined && { detail }) };
  }
  const trace = error instanceof Error ? error.stack : undefined;
  return { event: "error", error: `defect in the backend: ${messageWithCauses(error)}`, reason: "internal", trace };
}
