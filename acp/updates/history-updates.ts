/** The conversation of a long-lived agent, as its history has it, as updates. Pure. */
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { isReplyTool, spokenText } from "../../conversation/marks/spoken.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { CallUpdates } from "./call-updates.ts";
import { agentSays } from "./event-updates.ts";

/** @param records oldest first; @param textIsReply whether what its model writes is said */
export function historyUpdates(
  journal: string,
  records: readonly HistoryRecord[],
  textIsReply: boolean,
): SessionUpdate[] {
  const calls = new CallUpdates(journal);
  const spoken = new Set<string>();
  return records.flatMap((record): SessionUpdate[] => {
    if (record.type === "user")
      return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: spokenText(record.text) } }];
    if (record.type === "assistant") return textIsReply ? [agentSays(record.text)] : [];
    if (record.type === "tool_call" && isReplyTool(record.tool)) {
      spoken.add(record.call_id);
      const { args } = record;
      return isRecord(args) && typeof args["text"] === "string" ? [agentSays(args["text"])] : [];
    }
    if (record.type === "tool_call") return calls.begin(eventOf(record, "tool_start"));
    if (record.type === "tool_result" && !spoken.has(record.call_id)) return calls.end(eventOf(record, "tool_end"));
    return [];
  });
}

/** A record has the fields of the event that it was written for. */
const eventOf = (record: HistoryRecord & { run_id: string }, event: string): AgentEvent => ({
  ...record,
  event,
  agent_id: record.run_id,
  seq: 1,
});
