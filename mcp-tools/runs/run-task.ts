/** A run as a task of the protocol's extension `io.modelcontextprotocol/tasks`. Pure. */
import type { RunRecord } from "../links/run-record.ts";
import type { RunTask } from "../tool/tool.ts";

/** How often a client should look, in ms. */
const pollIntervalMs = 2_000;

const states: Readonly<Record<RunRecord["state"], RunTask["status"]>> = {
  working: "working",
  waiting: "input_required",
  // That the run failed is the answer of the call, and no failure of the protocol.
  finished: "completed",
  failed: "completed",
  cancelled: "cancelled",
};

/** @param canAnswer whether the client can be asked: for another a run that waits for a person goes on working */
export function runTask({ agentId, state, questions, created, updated }: RunRecord, canAnswer: boolean): RunTask {
  const status = states[state];
  const waits = questions.map(({ tool, why }) => `${tool}: ${why}`).join("; ");
  return {
    taskId: agentId,
    status: status === "input_required" && !canAnswer ? "working" : status,
    ...(waits !== "" && { statusMessage: `waits for a decision on ${waits}` }),
    createdAt: created.toISOString(),
    lastUpdatedAt: updated.toISOString(),
    ttlMs: null,
    pollIntervalMs,
  };
}
