/** Limits of the day, each with what counts against it. Pure. */
import type { RunCost } from "../../../journal/costs/run-cost.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import { type Budgets, hasLimit, type UsageLimits } from "../../../protocol/settings/budgets.ts";
import {
  addedSpent,
  costAtMost,
  defaultUnknownPriceUsd,
  nothingSpent,
  type Spent,
  tokensOf,
} from "../../../protocol/runs/spent.ts";
import type { Limit } from "../records/machine-records.ts";

/** From this share on a limit is near. */
const nearShare = 0.8;
/** Sums of decimal fractions are off by less than this. */
const smallestShare = 1e-9;

export type Counted = Pick<Limit, "scope" | "name"> & {
  limits: UsageLimits;
  /** Tokens without a known price counted by a guess: what limits go by. */
  usd: number;
  tokens: number;
};

export function limitOf({ scope, name, limits, usd, tokens }: Counted): Limit {
  const { max_cost_usd: limit_usd = null, max_total_tokens: limit_tokens = null } = limits;
  const share = Math.max(shareOf(usd, limit_usd), shareOf(tokens, limit_tokens));
  const state = share >= 1 - smallestShare ? "reached" : share >= nearShare ? "near" : "far";
  return { scope, name, limit_usd, limit_tokens, spent_usd: usd, spent_tokens: tokens, share, state };
}

/** A limit of nothing is reached. */
function shareOf(spent: number, limit: number | null): number {
  if (limit === null) return 0;
  return limit === 0 ? 1 : Math.min(spent / limit, mostShare);
}

/** JSON has no number for more than that. */
const mostShare = 1_000_000;

/** The limits of the settings' budgets: of all runs, and of single personas. */
export function budgetLimits(budgets: Budgets, costs: readonly RunCost[], now: number, timeZone: string): Counted[] {
  const { daily, personas = {}, unknown_price_usd: price = defaultUnknownPriceUsd } = budgets;
  const today = dayOf(now, timeZone);
  const spentOf = (some: readonly RunCost[]): Spent =>
    some
      .flatMap(({ parts }) => parts.filter(({ quarter }) => dayOf(quarter, timeZone) === today))
      .map(({ spent }) => spent)
      .reduce(addedSpent, nothingSpent);
  const counted = (some: readonly RunCost[]) => {
    const spent = spentOf(some);
    return { usd: costAtMost(spent, price), tokens: tokensOf(spent) };
  };
  const all = hasLimit(daily) ? [{ scope: "all" as const, name: null, limits: daily, ...counted(costs) }] : [];
  const single = Object.entries(personas).flatMap(([name, { daily: limits }]) => {
    if (!hasLimit(limits)) return [];
    return [{ scope: "persona" as const, name, limits, ...counted(costs.filter(({ persona }) => persona === name)) }];
  });
  return [...all, ...single];
}
