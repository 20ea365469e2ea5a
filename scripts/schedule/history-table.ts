/** `cortex schedule history` as a table. */
import type { HistoryRow } from "../../schedule/overview/history-rows.ts";
import { columns } from "../command/layout/columns.ts";

export function historyTable(rows: HistoryRow[]): string {
  const lines = rows.map(({ day, time, persona, facet, state, attempts, agent_id, reason }) => [
    time === null ? day : `${day} ${time}`,
    persona,
    facet ?? "-",
    attempts > 1 ? `${state} (${attempts}.)` : state,
    agent_id ?? "-",
    reason ?? "",
  ]);
  return columns([["DAY", "PERSONA", "FACET", "RESULT", "RUN", "REASON"], ...lines]);
}
