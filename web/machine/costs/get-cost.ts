/** The usage and cost of runs in some days, and how near today's limits are. */
import { relative } from "node:path";
import { costOwners } from "../../../journal/agents/cost-owners.ts";
import { costReport } from "../../../journal/costs/cost-report.ts";
import type { RunCost } from "../../../journal/costs/run-cost.ts";
import { runCosts } from "../../../journal/costs/costs.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { addDays, endOfDay } from "../../../schedule/calendar/local-time.ts";
import { spentBudgets } from "../../../workspace/budgets/spent-budgets.ts";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { MachineBase } from "../base/machine-base.ts";
import type { Cost, CostQuery, Limit } from "../records/machine-records.ts";
import { clockLimits } from "./clock-agents.ts";
import { budgetLimits, limitOf } from "./limits.ts";

/** Days that are shown where nobody says since when. */
const shownDays = 30;
/** No local day is longer. */
const longestDayMs = 26 * 3_600_000;

type Deps = Pick<MachineBase, "journal" | "settings" | "timeZone">;

/** @throws WorkspaceError `invalid` for days in the wrong order */
export async function getCost(deps: Deps, store: WorkspaceStore, query: CostQuery): Promise<Cost> {
  const { journal, timeZone } = deps;
  const { by, to = dayOf(Date.now(), timeZone), from = addDays(to, 1 - shownDays) } = query;
  if (from > to) throw new WorkspaceError("invalid", `from: ${from} is after ${to}`);
  const unread = new Set<string>();
  const since = Math.min(endOfDay(addDays(from, -1), timeZone), Date.now() - longestDayMs);
  const costs = await runCosts(journal, since, (path) => unread.add(relative(journal, path)));
  const { nameOf, ...owners } = costOwners(journal);
  const { rows, total, days } = costReport(costs, by, { from, to, timeZone, ...owners });
  return {
    from,
    to,
    time_zone: timeZone,
    by,
    rows: rows.map((row) => ({ ...row, agent_name: nameOf(by, row.name) ?? null })),
    total,
    days,
    limits: await limitsOf(deps, store, costs),
    unread: [...unread],
  };
}

async function limitsOf(deps: Deps, store: WorkspaceStore | null, costs: readonly RunCost[]): Promise<Limit[]> {
  const { journal, settings, timeZone } = deps;
  const now = Date.now();
  const { budgets = {}, agents = {} } = settings();
  const workspaces = store ? await spentBudgets(store, now, timeZone) : [];
  return [
    ...budgetLimits(budgets, costs, now, timeZone),
    ...clockLimits(journal, agents, now, timeZone),
    ...workspaces.map(({ name, limitUsd, spentUsd }) => ({
      scope: "workspace" as const,
      name,
      limits: { max_cost_usd: limitUsd },
      usd: spentUsd,
      tokens: 0,
    })),
  ].map(limitOf);
}

/**
 * Today's limits, and how near they are. Without limits no file is read.
 * @param store of the workspaces; null: their budgets are left out
 */
export async function limitsToday(
  deps: Deps,
  store: WorkspaceStore | null,
  onProblem: (path: string, error: unknown) => void,
): Promise<Limit[]> {
  if ((await limitsOf(deps, store, [])).length === 0) return [];
  return limitsOf(deps, store, await runCosts(deps.journal, Date.now() - longestDayMs, onProblem));
}
