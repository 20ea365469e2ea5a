/** The history of scheduled runs as rows: what ran, how it ended, what didn't run and why. */
import type { HistoryEntry } from "../../bus/schedule/schedule-ledger.ts";

/** One unit, or one that was let go. */
export type HistoryRow = {
  day: string;
  /** Null: a daily run. */
  time: string | null;
  persona: string;
  facet: string | null;
  state: "running" | "done" | "failed" | "skipped";
  attempts: number;
  agent_id: string | null;
  reason: string | null;
  at: string;
};

/** The newest first. */
export function historyRows(entries: HistoryEntry[]): HistoryRow[] {
  return entries.flatMap(rowsOf).toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

function rowsOf(entry: HistoryEntry): HistoryRow[] {
  const { day, persona, time, facet } = entry.unit;
  const of = { day, time: time === "night" ? null : time, persona };
  if ("group" in entry) {
    const at = new Date(entry.group.ts).toISOString();
    const none = { state: "skipped", attempts: 0, agent_id: null, at } as const;
    return entry.group.skipped.map((skipped) => ({ ...of, ...none, facet: skipped.facet, reason: skipped.reason }));
  }
  const { state, attempts, reason = null, ended, started } = entry.record;
  const agent_id = entry.record.agent_id || null; // none of what was missed
  return [{ ...of, facet, state, attempts, agent_id, reason, at: new Date(ended ?? started).toISOString() }];
}
