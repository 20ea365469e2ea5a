/** Whether an answer may begin under the workspace's budget of the day, and what it may cost. Pure. */
import type { Budget } from "../records/people.ts";

/** In USD. `reserved`: the cost that answers that run now may still cost. */
export type Spending = { spent: number; reserved: number };

/** The scope of a budget. */
export type BudgetScope = "workspace" | "agent";

export type BudgetDecision =
  /** `maxCostUsd` null: there is no budget. */
  | { kind: "granted"; maxCostUsd: number | null }
  /** Answers that run now may use up the rest: it is decided when they have ended. */
  | { kind: "waits" }
  | { kind: "refused"; scope: BudgetScope; budgetUsd: number };

/** An answer without a limit of its own may cost this share of the day: as many answers as a thread gives at once fit in. */
const usualShare = 1 / 4;

/** @param limitUsd what the agent's configuration allows for an answer */
export function decideBudget(
  budget: Budget | null,
  spending: Record<BudgetScope, Spending>,
  limitUsd: number | undefined,
): BudgetDecision {
  const caps = [
    { scope: "workspace", budgetUsd: budget?.max_cost_usd },
    { scope: "agent", budgetUsd: budget?.max_cost_usd_per_agent },
  ] as const;
  let maxCostUsd: number | null = null;
  let mustWait = false;
  for (const { scope, budgetUsd } of caps) {
    if (budgetUsd === undefined) continue;
    const left = budgetUsd - spending[scope].spent;
    if (left <= 0) return { kind: "refused", scope, budgetUsd };
    const asked = Math.min(limitUsd ?? budgetUsd * usualShare, left);
    if (asked > left - spending[scope].reserved) mustWait = true;
    maxCostUsd = Math.min(maxCostUsd ?? Number.POSITIVE_INFINITY, asked);
  }
  return mustWait ? { kind: "waits" } : { kind: "granted", maxCostUsd };
}
