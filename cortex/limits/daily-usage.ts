/** The usage of all runs of a day, run by run, and whether it is more than the settings allow. Pure. */
import { type Budgets, hasLimit, type UsageLimits } from "../../protocol/settings/budgets.ts";
import { dayAfter } from "../../protocol/names/day.ts";
import {
  addedSpent,
  costAtMost,
  defaultUnknownPriceUsd,
  fullerSpent,
  isCountable,
  isSame,
  nothingSpent,
  type Spent,
  tokensOf,
  spentWithout,
} from "../../protocol/runs/spent.ts";

/** Sums of decimal fractions are off by less than this. */
const smallestUsd = 1e-9;

export class DailyUsage {
  readonly day: string;
  readonly #runs = new Map<string, { persona: string; spent: Spent }>();
  readonly #personas = new Map<string, Spent>();
  #all = nothingSpent;
  /** Runs of which it is told in a way that can't be read. */
  readonly #unreadable = new Set<string>();

  constructor(day: string) {
    this.day = day;
  }

  /** Takes down what a run is known to have used. That only grows, so whoever tells it, and how often, doesn't matter. */
  noteUsage(agentId: string, persona: string, spent: Spent): void {
    this.#unreadable.delete(agentId);
    const before = this.#runs.get(agentId);
    const now = before ? fullerSpent(before.spent, spent) : spent;
    if (before && isSame(before.spent, now)) return;
    // Whose it is was settled by whoever told first.
    const whose = before?.persona ?? persona;
    this.#runs.set(agentId, { persona: whose, spent: now });
    const more = spentWithout(now, before?.spent ?? nothingSpent);
    this.#all = addedSpent(this.#all, more);
    this.#personas.set(whose, addedSpent(this.#personas.get(whose) ?? nothingSpent, more));
  }

  /** Takes down that a run has used something, and nobody can tell what. What is known of it counts on. */
  noteUnreadable(agentId: string): void {
    if (!this.#runs.has(agentId)) this.#unreadable.add(agentId);
  }

  /** Finds the usage of a run, or null. */
  of(agentId: string): { persona: string; spent: Spent } | null {
    return this.#runs.get(agentId) ?? null;
  }

  #uncountable(): string | null {
    const [agentId] = this.#unreadable;
    if (agentId !== undefined)
      return `what run ${agentId} has used today can't be read: no limit can be held against it until it is told anew (a restart of its worker does that)`;
    return isCountable(this.#all) ? null : "today's usage is not a number: no limit can be applied to it";
  }

  /** Says which daily limit a persona has reached, what was used, and until when it holds; or null. */
  exceeded(persona: string, budgets: Budgets, timeZone: string): string | null {
    const price = budgets.unknown_price_usd ?? defaultUnknownPriceUsd;
    const own = budgets.personas?.[persona]?.daily;
    const reached =
      (hasLimit(budgets.daily) || hasLimit(own) ? this.#uncountable() : null) ??
      tooMuch(this.#all, budgets.daily, "budgets.daily", price) ??
      tooMuch(this.#personas.get(persona) ?? nothingSpent, own, `budgets.personas.${persona}.daily`, price);
    if (reached === null) return null;
    return `${reached}; ${this.day} ends at midnight (${timeZone}), then ${dayAfter(this.day)} begins anew`;
  }
}

function tooMuch(spent: Spent, limits: UsageLimits | undefined, name: string, price: number): string | null {
  const { max_cost_usd, max_total_tokens } = limits ?? {};
  const [tokens, cost] = [tokensOf(spent), costAtMost(spent, price)];
  if (max_cost_usd !== undefined && !Number.isFinite(cost))
    return `what was used today costs ${cost} USD with a guess of ${price} USD for a million tokens without a known price, the limit ${name}.max_cost_usd is ${max_cost_usd}`;
  if (max_total_tokens !== undefined && tokens >= max_total_tokens)
    return `used ${tokens} tokens today, the limit ${name}.max_total_tokens is ${max_total_tokens}`;
  if (max_cost_usd !== undefined && cost >= max_cost_usd - smallestUsd) {
    const guess =
      spent.unpriced_tokens > 0
        ? ` at most (a guess: ${spent.unpriced_tokens} tokens without a known price count as ${price} USD a million)`
        : "";
    return `cost ${cost.toFixed(4)} USD today${guess}, the limit ${name}.max_cost_usd is ${max_cost_usd}`;
  }
  return null;
}
