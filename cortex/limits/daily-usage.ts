/** The usage of all runs of a day, run by run, and whether it is more than the settings allow. Pure. */
import { type Budgets, hasLimit, type UsageLimits } from "../../protocol/settings/budgets.ts";
import { fitsGlob } from "../../protocol/names/text-glob.ts";
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
import { mostOf, type ReservedCall } from "./calls-under-way.ts";

/** Sums of decimal fractions are off by less than this. */
const smallestUsd = 1e-9;

/** The usage of a run on a day. */
export type RunUsage = { persona: string; spent: Spent; models: ReadonlyMap<string, Spent> };

/** @field models those that are asked about; @field underWay calls whose most counts as if it was used */
export type AskedUsage = { models?: readonly string[]; underWay?: readonly ReservedCall[] };

export class DailyUsage {
  readonly day: string;
  readonly #runs = new Map<string, RunUsage>();
  readonly #personas = new Map<string, Spent>();
  readonly #models = new Map<string, Spent>();
  #all = nothingSpent;
  /** Runs of which it is told in a way that can't be read. */
  readonly #unreadable = new Set<string>();

  constructor(day: string) {
    this.day = day;
  }

  /** Takes down what a run is known to have used. That only grows, so whoever tells it, and how often, doesn't matter. */
  noteUsage(agentId: string, persona: string, spent: Spent, models: ReadonlyMap<string, Spent> = new Map()): void {
    this.#unreadable.delete(agentId);
    const before = this.#runs.get(agentId);
    const now = before ? fullerSpent(before.spent, spent) : spent;
    if (before && isSame(before.spent, now) && [...models.keys()].every((model) => before.models.has(model))) return;
    // Whose it is was settled by whoever told first.
    const whose = before?.persona ?? persona;
    this.#runs.set(agentId, { persona: whose, spent: now, models: this.#noteModels(before?.models, models) });
    const more = spentWithout(now, before?.spent ?? nothingSpent);
    this.#all = addedSpent(this.#all, more);
    this.#personas.set(whose, addedSpent(this.#personas.get(whose) ?? nothingSpent, more));
  }

  /** Returns what the run is known to have used of each model. */
  #noteModels(before: ReadonlyMap<string, Spent> = new Map(), told: ReadonlyMap<string, Spent>): Map<string, Spent> {
    const now = new Map(before);
    for (const [model, spent] of told) {
      const known = before.get(model) ?? nothingSpent;
      const fuller = fullerSpent(known, spent);
      now.set(model, fuller);
      const more = spentWithout(fuller, known);
      this.#models.set(model, addedSpent(this.#models.get(model) ?? nothingSpent, more));
    }
    return now;
  }

  /** Takes down that a run has used something, and nobody can tell what. What is known of it counts on. */
  noteUnreadable(agentId: string): void {
    if (!this.#runs.has(agentId)) this.#unreadable.add(agentId);
  }

  /** Finds the usage of a run, or null. */
  of(agentId: string): RunUsage | null {
    return this.#runs.get(agentId) ?? null;
  }

  #uncountable(): string | null {
    const [agentId] = this.#unreadable;
    if (agentId !== undefined)
      return `what run ${agentId} has used today can't be read: no limit can be held against it until it is told anew (a restart of its worker does that)`;
    return isCountable(this.#all) ? null : "today's usage is not a number: no limit can be applied to it";
  }

  /** Says which daily limit a persona, or a model of these, has reached, what was used, and until when it holds; or null. */
  exceeded(
    persona: string,
    budgets: Budgets,
    timeZone: string,
    { models = [], underWay = [] }: AskedUsage = {},
  ): string | null {
    const price = budgets.unknown_price_usd ?? defaultUnknownPriceUsd;
    const own = budgets.personas?.[persona]?.daily;
    const ofModels = limitsOf(models, budgets);
    const isLimited = hasLimit(budgets.daily) || hasLimit(own) || ofModels.some(([, limits]) => hasLimit(limits));
    const ofPersona = underWay.filter((call) => call.persona === persona);
    const all = addedSpent(this.#all, mostOf(underWay));
    const byPersona = addedSpent(this.#personas.get(persona) ?? nothingSpent, mostOf(ofPersona));
    const reached =
      (isLimited ? this.#uncountable() : null) ??
      tooMuch(all, budgets.daily, "budgets.daily", price) ??
      tooMuch(byPersona, own, `budgets.personas.${persona}.daily`, price) ??
      ofModels
        .map(([glob, limits]) => tooMuch(this.#ofModels(glob, underWay), limits, `budgets.models.${glob}`, price))
        .find((what) => what !== null) ??
      null;
    if (reached === null) return null;
    return `${reached}; ${this.day} ends at midnight (${timeZone}), then ${dayAfter(this.day)} begins anew`;
  }

  #ofModels(glob: string, underWay: readonly ReservedCall[]): Spent {
    const used = [...this.#models].filter(([model]) => fitsGlob(glob, model)).map(([, spent]) => spent);
    const reserved = underWay.filter(({ models }) => models.some((model) => fitsGlob(glob, model)));
    return [...used, mostOf(reserved)].reduce(addedSpent, nothingSpent);
  }
}

/** The limits of models' names that fit one of these. */
const limitsOf = (models: readonly string[], budgets: Budgets): [glob: string, limits: UsageLimits][] =>
  Object.entries(budgets.models ?? {}).filter(([glob]) => models.some((model) => fitsGlob(glob, model)));

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
