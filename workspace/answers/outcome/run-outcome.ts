/** The meaning of a run's end for its task. Pure. */
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { textField } from "../../../protocol/runs/text-field.ts";

export type FailureKind =
  | "unavailable"
  | "timed_out"
  | "unexpected"
  | "too_long"
  | "config"
  | "budget"
  | "loop"
  | "internal";

export type RunOutcome =
  /** `isCutOff`: at its limit of tokens, so that there may be more to say. */
  | { kind: "answered"; text: string; isCutOff: boolean }
  | { kind: "too_long" }
  | { kind: "stopped" }
  | { kind: "failed"; failure: FailureKind; why: string };

/**
 * @param said what the run has said before its end
 * @param isOver whether the answer's time is over
 */
export function outcomeOf(last: AgentEvent, said: string, isOver: boolean): RunOutcome {
  if (last.event === "finish") {
    const text = textField(last, "result").trim();
    return text === "" ? failed("unexpected", last) : { kind: "answered", text, isCutOff: false };
  }
  const { reason, detail } = last;
  if (isOver && (reason === "cancelled" || reason === "timeout")) return failed("timed_out", last);
  if (reason === "cancelled") return { kind: "stopped" };
  if (detail === "too_long") return { kind: "too_long" };
  if (detail === "cut_off" && said.trim() !== "") return { kind: "answered", text: said.trim(), isCutOff: true };
  return failed(kindOf(reason, detail), last);
}

const ofDetail: Record<string, FailureKind> = {
  unavailable: "unavailable",
  rate_limited: "unavailable",
  rejected: "config",
  unreadable: "unexpected",
  empty: "unexpected",
  cut_off: "unexpected",
  turn_limit: "unexpected",
  refused: "unexpected",
};

const ofReason: Record<string, FailureKind> = {
  provider: "unavailable",
  config: "config",
  timeout: "timed_out",
  idle: "timed_out",
  budget: "budget",
  loop: "loop",
};

const kindOf = (reason: unknown, detail: unknown): FailureKind =>
  ofDetail[String(detail)] ?? ofReason[String(reason)] ?? "internal";

const failed = (failure: FailureKind, last: AgentEvent): RunOutcome => ({
  kind: "failed",
  failure,
  why: textField(last, "error"),
});
