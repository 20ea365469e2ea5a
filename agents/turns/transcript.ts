/** Transcript of a history, for its summary: a call and its result stay together. Pure. */
import { unmarked } from "../../conversation/marks/system-message.ts";
import type { HistoryRecord } from "../../protocol/agents/agent-files.ts";

/** Most characters of a record; of a longer one the begin and the end are kept. */
const longest = 4000;

/** The newest records that fit, oldest first. */
export function transcriptOf(records: readonly HistoryRecord[], maxCharacters: number): string {
  const parts: string[] = [];
  let length = 0;
  for (const group of groups(records).toReversed()) {
    const text = group.map((record) => indented(textOf(record))).join("\n");
    if (length + text.length > maxCharacters && parts.length > 0) {
      parts.unshift("[what came before is left out here]");
      break;
    }
    parts.unshift(text.slice(-maxCharacters));
    length += text.length + 1;
  }
  return parts.join("\n");
}

/** Records that mustn't be parted: calls, and behind them their results. */
function groups(records: readonly HistoryRecord[]): HistoryRecord[][] {
  const all: HistoryRecord[][] = [];
  let open = new Set<string>();
  for (const record of records) {
    const group = all.at(-1);
    if (group && open.size > 0 && (record.type === "tool_result" || record.type === "tool_call")) group.push(record);
    else all.push([record]);
    if (record.type === "tool_call") open.add(record.call_id);
    else if (record.type === "tool_result") open.delete(record.call_id);
    else open = new Set();
  }
  return all;
}

/** Each record begins a line, and nothing that was said can look like one, nor end the whole. */
const indented = (text: string) =>
  unmarked(text)
    .replaceAll("\n", "\n  ")
    .replaceAll(/<(?=\s*\/\s*conversation\b)/gi, "&lt;");

function textOf(record: HistoryRecord): string {
  switch (record.type) {
    case "start":
    case "reset":
    case "reasoning":
      return "";
    case "compact":
      return `SUMMARY OF WHAT CAME BEFORE: ${record.summary}`;
    case "user":
    case "system":
      return `${record.type.toUpperCase()}: ${shortened(record.text)}`;
    case "assistant":
      return `ASSISTANT (thinking): ${shortened(record.text)}`;
    case "tool_call":
      return `CALL ${record.tool}: ${shortened(JSON.stringify(record["args"] ?? {}))}`;
    case "tool_result": {
      const { result } = record;
      return `RESULT: ${shortened(typeof result === "string" ? result : JSON.stringify(result ?? null))}`;
    }
  }
}

function shortened(text: string): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest / 2)} … ${text.slice(-longest / 2)}`;
}
