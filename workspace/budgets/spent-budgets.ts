/** The budgets of workspaces, each with what their answers of the day have cost. */
import { sql } from "kysely";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Budget } from "../records/people.ts";
import { budgetDay } from "./budget-day.ts";

export type SpentBudget = { name: string; limitUsd: number; spentUsd: number };

/** @param timeZone in which the day is counted */
export async function spentBudgets(
  { database }: WorkspaceStore,
  now: number,
  timeZone: string,
): Promise<SpentBudget[]> {
  const workspaces = await database
    .selectFrom("workspaces")
    .select(["id", "name", "budget_json"])
    .where("budget_json", "is not", null)
    .execute();
  const ended = await database
    .selectFrom("tasks")
    .select(["workspace_id", sql<number | null>`sum(cost_usd)`.as("usd")])
    .where("completed_at", ">=", budgetDay(now, timeZone).start)
    .groupBy("workspace_id")
    .execute();
  const spent = new Map(ended.map(({ workspace_id, usd }) => [workspace_id, usd ?? 0]));
  return workspaces.flatMap(({ id, name, budget_json }) => {
    const { max_cost_usd: limitUsd } = JSON.parse(budget_json ?? "{}") as Budget;
    return limitUsd === undefined ? [] : [{ name, limitUsd, spentUsd: Number(spent.get(id) ?? 0) }];
  });
}
