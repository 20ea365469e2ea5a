/**
 * The latest message of the conversation with a long-lived agent, by whomever it was: read from the end of its history.
 */
import { isReplyTool, spokenText } from "../../../conversation/marks/spoken.ts";
import { readHistory } from "../../../journal/agents/read-history.ts";
import type { HistoryRecord } from "../../../protocol/agents/agent-files.ts";

export type LastWords = { ts: number; by: "user" | "agent"; text: string };

/** So many records from the end it is looked for. */
const mostRecords = 40;
/** Characters of the message that are told. */
const longestText = 200;

/** Null: nothing was said lately. */
export function lastWords(journal: string, agent: string, isTextReply: boolean): LastWords | null {
  const page = readHistory(journal, agent, { archive: null, before: null, limit: mostRecords });
  for (const record of page?.items.toReversed() ?? []) {
    const words = wordsOf(record, isTextReply);
    if (words) return words;
  }
  return null;
}

function wordsOf(record: HistoryRecord, isTextReply: boolean): LastWords | null {
  const { ts } = record;
  const said = (by: "user" | "agent", text: string) => ({ ts, by, text: text.slice(0, longestText).toWellFormed() });
  if (record.type === "user") return said("user", spokenText(record.text));
  if (record.type === "assistant" && isTextReply) return said("agent", record.text);
  if (record.type !== "tool_call" || !isReplyTool(record.tool)) return null;
  const { text } = (record["args"] ?? {}) as Record<string, unknown>;
  return typeof text === "string" ? said("agent", text) : null;
}
