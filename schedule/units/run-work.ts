/** Asks for the run of a unit, and waits for its outcome. */
import { setTimeout as delay } from "node:timers/promises";
import { askAgain } from "../../bus/runs/ask-again.ts";
import { RejectedError } from "../../bus/runs/client.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { runToCompletion } from "../../bus/schedule/run-to-completion.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runFile, runState } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { Work } from "../../protocol/programs/schedule.ts";
import type { UnitOutcome } from "./unit-queue.ts";

/** Time that cortex needs beyond a run's limit: cancel, TERM, KILL, the file. */
const graceSeconds = 60;
/** Milliseconds for which a run's file may be open after its terminal event: a process has 10 s to leave. */
const closeMs = 30_000;

export type RunParts = {
  bus: Bus;
  journal: string;
  now: () => number;
  /** See `runToCompletion`. */
  onNobody: () => void;
  signal: AbortSignal;
};

/** @throws the signal's reason; what `onNobody` throws; Error when the bus doesn't answer */
export async function runWork(work: Work, { bus, journal, now, onNobody, signal }: RunParts): Promise<UnitOutcome> {
  const { request, timeout_seconds } = work;
  const fileOf = (agentId: string) => new RunReader(journal, agentId);
  for (let refusals = 0; ; refusals++) {
    // A run that was deleted for its age has no further events.
    if (runState(journal, String(request.ts)) === "ended" && runFile(journal, String(request.ts)) === null)
      return { state: "failed", reason: "its file is gone" };
    try {
      const longestSeconds = timeout_seconds + graceSeconds;
      const last = await runToCompletion(bus, request, { fileOf, longestSeconds, onNobody, signal });
      if (last === "overdue") return { state: "failed", reason: `it ran longer than its limit, ${timeout_seconds} s` };
      await closed(journal, String(request.ts), signal);
      return outcomeOf(last);
    } catch (error) {
      if (!(error instanceof RejectedError)) throw error;
      if (error.reason === "duplicate_id") return { state: "taken", ts: Math.max(now(), Number(request.ts) + 1) };
      // A full queue may empty.
      const again = askAgain(error, refusals, false);
      if (again === null) return { state: "failed", reason: `refused: ${error.message}` };
      await delay(again.afterMs, undefined, { signal });
    }
  }
}

/** An empty result is a failure: what was to be written wasn't. */
export function outcomeOf(last: AgentEvent): UnitOutcome {
  if (last.event === "finish")
    return textField(last, "result").trim() === "" ? { state: "failed", reason: "empty result" } : { state: "done" };
  return { state: "failed", reason: `${textField(last, "reason")}: ${textField(last, "error")}`.slice(0, 500) };
}

/** Waits until the run's file is complete: what it saved is there for the next. */
async function closed(journal: string, agentId: string, signal: AbortSignal): Promise<void> {
  for (const end = performance.now() + closeMs; performance.now() < end; await delay(20, undefined, { signal }))
    if (runState(journal, agentId) !== "active") return;
}
