/** Conversion of a run's events into records of its agent's history. Pure. */
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";

/** The record of an event; null for one that isn't part of the conversation. Its id is the event's place in its run. */
export function recordOfEvent(event: AgentEvent, lastText: string | null): HistoryRecord | null {
  const { event: name, ts, agent_id: run_id, seq } = event;
  const base = { ts, id: `${run_id}:${seq}`, run_id };
  const call_id = textField(event, "call_id");
  switch (name) {
    case "text":
      if (event["partial"] === true) return null;
      return { ...base, type: "assistant", text: textField(event, "text") };
    case "finish": {
      const text = textField(event, "result");
      return text === "" || text === lastText ? null : { ...base, type: "assistant", text };
    }
    case "tool_start":
      return { ...base, type: "tool_call", call_id, tool: textField(event, "tool"), args: event["args"] };
    case "tool_end":
      return {
        ...base,
        type: "tool_result",
        call_id,
        tool: event["tool"],
        result: event["result"],
        ...(event["parts"] !== undefined && { parts: event["parts"] }),
        ...(event["is_error"] === true && { is_error: true }),
      };
    default:
      return null;
  }
}

/** The record of what was said of a message that will never be whole, which an event made known. */
export function recordOfUnfinished({ ts, agent_id: run_id, seq }: AgentEvent, text: string): HistoryRecord {
  return { ts, id: `${run_id}:${seq}:unfinished`, run_id, type: "assistant", text, partial: true };
}
