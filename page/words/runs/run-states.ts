/** The states of runs: which mark stands for each, and its word. */

export type MarkKind = "you" | "working" | "waits" | "failed" | "stopped" | "missed" | "done";

export type RunState = "queued" | "running" | "waiting" | "finished" | "failed" | "cancelled" | "orphaned";

export const runStates: Record<RunState, { mark: MarkKind; word: string }> = {
  queued: { mark: "waits", word: "Waits for a place" },
  running: { mark: "working", word: "Working" },
  waiting: { mark: "you", word: "Needs you" },
  finished: { mark: "done", word: "Done" },
  failed: { mark: "failed", word: "Failed" },
  cancelled: { mark: "stopped", word: "Stopped" },
  orphaned: { mark: "missed", word: "Broken off" },
};

/** Whether a run may still change by itself. */
export function isAlive(state: RunState): boolean {
  return state === "queued" || state === "running" || state === "waiting";
}
