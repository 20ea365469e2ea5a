/** How a run's end is told to the editor. Pure. */
import type { StopReason } from "@agentclientprotocol/sdk";
import { ErrorReason } from "../../protocol/events/error-reason.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import { RunFailedError } from "../base/request-error.ts";

/**
 * @param last how the run's last model call ended, as its `usage` says
 * @throws RunFailedError for a run that failed
 */
export function stopReasonOf(end: AgentEvent, last: unknown): StopReason {
  if (end.event === "finish") {
    if (last === "length") return "max_tokens";
    return last === "refusal" ? "refusal" : "end_turn";
  }
  const reason = ErrorReason.safeParse(end["reason"]).data;
  if (reason === "cancelled") return "cancelled";
  const stopped = ofDetail[textField(end, "detail")];
  if (stopped) return stopped;
  throw new RunFailedError(end.agent_id, textField(end, "error"), reason);
}

/** The ends of a run in an error that the protocol has a reason for. */
const ofDetail: Partial<Record<string, StopReason>> = {
  refused: "refusal",
  cut_off: "max_tokens",
  turn_limit: "max_turn_requests",
};
