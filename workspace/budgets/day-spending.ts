/** The cost of a day's answers, and what those that run may still cost. */
import { sql, type Transaction } from "kysely";
import type { Tables } from "../database/tables/tables.ts";
import type { BudgetScope, Spending } from "./budget-rule.ts";

/** @param dayStart when the day began, in ms: a task counts on the day on which it ends */
export async function spendingOfDay(
  tables: Transaction<Tables>,
  { workspaceId, agentId }: { workspaceId: string; agentId: string },
  dayStart: number,
): Promise<Record<BudgetScope, Spending>> {
  const ended = await tables
    .selectFrom("tasks")
    .select(["agent_id", sql<number | null>`sum(cost_usd)`.as("usd")])
    .where("workspace_id", "=", workspaceId)
    .where("completed_at", ">=", dayStart)
    .groupBy("agent_id")
    .execute();
  const running = await tables
    .selectFrom("tasks")
    .select(["agent_id", sql<number | null>`sum(allowance_usd)`.as("usd")])
    .where("is_open", "=", 1)
    .where("workspace_id", "=", workspaceId)
    // One that was cancelled may cost on until its run has ended.
    .where("status", "!=", "queued")
    .groupBy("agent_id")
    .execute();
  const sum = (rows: typeof ended) => rows.reduce((total, { usd }) => total + (usd ?? 0), 0);
  const ofAgent = (rows: typeof ended) => sum(rows.filter(({ agent_id }) => agent_id === agentId));
  return {
    workspace: { spent: sum(ended), reserved: sum(running) },
    agent: { spent: ofAgent(ended), reserved: ofAgent(running) },
  };
}
