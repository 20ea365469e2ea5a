/** Daily usage of an agent: its cost as far as that is known, and at most, by an estimate, for its limits. Pure. */
import type { AgentState } from "../../protocol/agents/agent-files.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { costAtMost, isCostKnown, type Spent, tokensOf } from "../../protocol/runs/spent.ts";

type SpentToday = NonNullable<AgentState["spent"]>;
type HasSpent = Pick<AgentState, "spent">;

const nothing = (day: string): SpentToday => ({ day, usd: 0, known_usd: 0, is_known: true, unpriced_tokens: 0 });

const today = (timeZone: string) => dayOf(Date.now(), timeZone);

/** Adds the usage of a turn. */
export function withTurn({ spent }: HasSpent, turn: Spent, unknownPriceUsd: number, timeZone: string): SpentToday {
  const before = spent?.day === today(timeZone) ? spent : nothing(today(timeZone));
  const { known_usd = 0, is_known = false, unpriced_tokens = 0 } = before;
  return {
    day: before.day,
    usd: before.usd + costAtMost(turn, unknownPriceUsd),
    known_usd: known_usd + turn.cost_usd,
    is_known: is_known && isCostKnown(turn),
    tokens: (before.tokens ?? 0) + tokensOf(turn),
    unpriced_tokens: unpriced_tokens + turn.unpriced_tokens,
  };
}

/** All tokens of the day: a stranger's limit is measured by them. */
export function tokensToday({ spent }: HasSpent, timeZone: string): number {
  return spent?.day === today(timeZone) ? (spent.tokens ?? 0) : 0;
}

/** Highest possible cost of the day, in US dollars: limits are measured by it. */
export function spentAtMost({ spent }: HasSpent, timeZone: string): number {
  return spent?.day === today(timeZone) ? spent.usd : 0;
}

/** Usage as commands show it: null where it isn't known, with the estimate beside it. */
export function shownSpending({ spent }: HasSpent, timeZone: string) {
  const {
    usd,
    known_usd = 0,
    is_known = false,
    unpriced_tokens = 0,
  } = spent?.day === today(timeZone) ? spent : nothing(today(timeZone));
  return {
    spent_today_usd: is_known ? usd : null,
    known_spent_today_usd: known_usd,
    unpriced_tokens_today: unpriced_tokens,
    guessed_spent_today_usd: usd,
  };
}
