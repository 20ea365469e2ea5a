/** Admission of an answer under the workspace's budget of the day. That it is used up is said where somebody asked, once a day. */
import { configOfVersion } from "../agents/versions.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import type { Budget } from "../records/people.ts";
import { addMessage } from "../threads/messages.ts";
import type { BudgetDay } from "./budget-day.ts";
import { decideBudget } from "./budget-rule.ts";
import { spendingOfDay } from "./day-spending.ts";

export type CostAdmission =
  /**
   * The cost that the run may have at most, in USD; null: the budget says nothing. It is set aside as the task's
   * `allowance_usd`.
   */
  | { kind: "granted"; maxCostUsd: number | null }
  /** Other answers may use up the rest: to be asked again when one has ended. */
  | { kind: "waits" }
  /** The task's error, in words for people. */
  | { kind: "refused"; error: string };

/** To be asked in the change that begins the task: changes of a workspace wait for each other, so nothing is granted twice. */
export async function admitCost(change: WorkspaceChange, task: TaskTable, day: BudgetDay): Promise<CostAdmission> {
  const { tables } = change;
  const workspace = await tables
    .selectFrom("workspaces")
    .select("budget_json")
    .where("id", "=", task.workspace_id)
    .executeTakeFirstOrThrow();
  if (workspace.budget_json === null) return { kind: "granted", maxCostUsd: null };
  const budget = JSON.parse(workspace.budget_json) as Budget;
  const { display_name, limits } = await configOfVersion(tables, task.agent_id, task.agent_version);
  const whose = { workspaceId: task.workspace_id, agentId: task.agent_id };
  const spending = await spendingOfDay(tables, whose, day.start);
  const decision = decideBudget(budget, spending, limits.max_cost_usd);
  if (decision.kind === "waits") return decision;
  if (decision.kind === "granted") {
    await tables.updateTable("tasks").set({ allowance_usd: decision.maxCostUsd }).where("id", "=", task.id).execute();
    return decision;
  }
  const { scope, budgetUsd } = decision;
  const whoseBudget = scope === "workspace" ? "this workspace's agents" : display_name;
  const error = `The budget of ${whoseBudget} for today ($${budgetUsd}) is used up. Ask again tomorrow, or have an admin raise it.`;
  await sayOnce(change, task, { scope: scope === "workspace" ? scope : task.agent_id, day: day.name, text: error });
  return { kind: "refused", error };
}

async function sayOnce(
  change: WorkspaceChange,
  { id, workspace_id, thread_id, fork_id, trigger_message_id }: TaskTable,
  { scope, day, text }: { scope: string; day: string; text: string },
): Promise<void> {
  const { numInsertedOrUpdatedRows } = await change.tables
    .insertInto("limit_notices")
    .values({ place_id: fork_id ?? thread_id, scope, day })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) return;
  await addMessage(change, workspace_id, {
    threadId: thread_id,
    forkId: fork_id,
    parent_id: trigger_message_id,
    author_type: "system",
    author_id: null,
    author_name: "System",
    text,
    parts: [],
    metadata: { kind: "limit", taskId: id },
  });
}
