/** A line of a long-lived agent's history, as it is told: what was said, thought and called. Its fields come from agents. */
import type { RunEvent } from "../trajectory/step.ts";
import { textOf } from "../words/json/read-json.ts";

export type TalkRecord = { type: string; id: string; ts: number; [field: string]: unknown };

/**
 * The record that a line of the file of a turn's run becomes in its agent's history, under the same id; null for a line that isn't
 * part of the conversation. So a turn is seen as it happens, and nothing changes when its history is read.
 */
export function recordOfLine(run: string, event: RunEvent, lastText: string | null): TalkRecord | null {
  const base = { ts: event.ts, id: `${run}:${event.seq}`, run_id: run };
  const call = { call_id: textOf(event["call_id"]), tool: textOf(event["tool"]) };
  switch (event.event) {
    case "text":
      if (event["partial"] === true) return null;
      return { ...base, type: "assistant", text: textOf(event["text"]) };
    case "finish": {
      const text = textOf(event["result"]);
      return text === "" || text === lastText ? null : { ...base, type: "assistant", text };
    }
    case "tool_start":
      return { ...base, type: "tool_call", ...call, args: event["args"] };
    case "tool_end":
      return { ...base, type: "tool_result", ...call, result: event["result"] };
    default:
      return null;
  }
}

/** The record of what was said of a message that will never be whole, as the history has it. */
export function recordOfUnfinished(run: string, { ts, seq }: RunEvent, text: string): TalkRecord {
  return { ts, id: `${run}:${seq}:unfinished`, run_id: run, type: "assistant", text, partial: true };
}

/** The turn that a record belongs to, by its run. */
export const runOf = (record: TalkRecord): string | null =>
  typeof record["run_id"] === "string" && record["run_id"] !== "" ? record["run_id"] : null;

/** The ids of messages that a record has: its own, and those that were joined to it. */
export function messageIdsOf(record: TalkRecord): string[] {
  const { items } = record;
  return Array.isArray(items) ? [record.id, ...items.map(String)] : [record.id];
}

/**
 * Merges the newest page of the history into what is known: the page's order holds, and what was heard of and doesn't
 * stand there yet stays at the end. Null: the page begins behind what is known, and something lies between.
 */
export function withTail(known: readonly TalkRecord[], tail: readonly TalkRecord[]): TalkRecord[] | null {
  const [first] = tail;
  if (known.length === 0 || first === undefined) return [...(first === undefined ? known : tail)];
  const ids = new Set(tail.map(({ id }) => id));
  const at = known.findIndex(({ id }) => ids.has(id));
  if (at === -1) return null;
  const begin = tail.findIndex(({ id }) => id === known[at]?.id);
  // What is known before it, and isn't in the page, was read earlier.
  return [
    ...known.slice(0, at),
    ...(begin === 0 ? tail : tail.slice(begin)),
    ...known.slice(at).filter(({ id }) => !ids.has(id)),
  ];
}
