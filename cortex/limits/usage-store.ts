/**
 * The usage of all runs of the day, on whichever worker, against the settings' limits of a day. Read from the files and
 * counted here, and exchanged with the other workers. While the bus is away, their last known usage counts.
 */
import type { UsageEntry } from "../../bus/claims/usage-bucket.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { runCosts } from "../../journal/costs/costs.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { dayOf } from "../../protocol/names/day.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { addedSpent, isSame, nothingSpent, type Spent } from "../../protocol/runs/spent.ts";
import { type AskedUsage, DailyUsage } from "./daily-usage.ts";
import { UsageExchange } from "./usage-exchange.ts";

/** No local day is longer: days of 25 hours are. */
const longestDayMs = 26 * 3_600_000;

export type UsageStoreDeps = {
  journal: string;
  timeZone: string;
  settings: () => Settings;
  bus: Bus;
  log: Logger;
};

/** The usage of a moment, in ms. @field model absent: nobody knows */
export type SpentAt = { ts: number; spent: Spent; model?: string | undefined };

/** More models than these in one run are an agent's own inventions: what they have used counts for the run alone. */
const maxModels = 100;

export class UsageStore implements Disposable {
  readonly #deps: UsageStoreDeps;
  readonly #exchange: UsageExchange;
  readonly #listeners = new Set<() => void>();
  readonly #days: Map<string, DailyUsage>;

  private constructor(deps: UsageStoreDeps, days: Map<string, DailyUsage>, exchange: UsageExchange) {
    this.#deps = deps;
    this.#days = days;
    this.#exchange = exchange;
  }

  /** Reads the files of the day and what other workers have published. To be done before any run is taken up. */
  static async open(deps: UsageStoreDeps): Promise<UsageStore> {
    const { bus, log } = deps;
    const days = new Map<string, DailyUsage>();
    const exchange = await UsageExchange.open({
      bus,
      log,
      known: (day, agentId) => store.#known(day, agentId),
      onEntry: (entry) => store.#onEntry(entry),
      onUnreadable: (day, agentId) => store.#onUnreadable(day, agentId),
    });
    const store = new UsageStore(deps, days, exchange);
    await store.#readFiles();
    await exchange.follow();
    return store;
  }

  /** Sets what a run that is about to go on has used so far. */
  restate(agentId: string, persona: string, used: SpentAt[]): void {
    const days = Map.groupBy(used, ({ ts }) => this.#dayOf(ts));
    for (const [day, ofDay] of days) {
      const spent = ofDay.map((part) => part.spent).reduce(addedSpent);
      this.#setOwn({ day, agentId, persona, spent }, byModel(ofDay));
    }
  }

  /** Adds what a run that is at work here has used. */
  add(agentId: string, persona: string, { ts, spent, model }: SpentAt): void {
    const day = this.#dayOf(ts);
    const before = this.#usageOf(day).of(agentId);
    const ofModel = before?.models.get(model ?? "");
    const isKept = model !== undefined && (ofModel !== undefined || (before?.models.size ?? 0) < maxModels);
    const models = isKept ? new Map([[model, addedSpent(ofModel ?? nothingSpent, spent)]]) : undefined;
    this.#setOwn({ day, agentId, persona, spent: addedSpent(before?.spent ?? nothingSpent, spent) }, models);
  }

  /** Says which limit of today a persona, or one of these models, has reached, or null. */
  exceeded(persona: string, asked?: AskedUsage): string | null {
    const { settings, timeZone } = this.#deps;
    const { budgets } = settings();
    return budgets ? this.#usageOf(this.#dayOf(Date.now())).exceeded(persona, budgets, timeZone, asked) : null;
  }

  #known(day: string, agentId: string): Omit<UsageEntry, "day" | "agentId"> | null {
    const usage = this.#days.get(day)?.of(agentId);
    return usage ? { ...usage, models: Object.fromEntries(usage.models) } : null;
  }

  /** Calls back now, and on every change of any run's usage, until it is disposed of. */
  onChange(callback: () => void): Disposable {
    this.#listeners.add(callback);
    callback();
    return { [Symbol.dispose]: () => void this.#listeners.delete(callback) };
  }

  async #readFiles(): Promise<void> {
    const { journal, log } = this.#deps;
    const since = Date.now() - longestDayMs;
    const costs = await runCosts(journal, since, (path, error) =>
      log.error({ path, err: error }, "what a run has used can't be read"),
    );
    const today = this.#dayOf(Date.now());
    for (const { agent_id: agentId, persona, parts } of costs) {
      const ofToday = parts.filter(({ quarter }) => quarter >= since && this.#dayOf(quarter) === today);
      if (ofToday.length > 0)
        this.restate(
          agentId,
          persona,
          ofToday.map(({ quarter: ts, model, spent }) => ({ ts, spent, model: model ?? undefined })),
        );
    }
  }

  #onEntry({ day, agentId, persona, spent, models = {} }: UsageEntry): void {
    const usage = this.#usageOf(day);
    const before = usage.of(agentId)?.spent;
    usage.noteUsage(agentId, persona, spent, new Map(Object.entries(models)));
    if (!before || !isSame(before, usage.of(agentId)?.spent ?? nothingSpent)) this.#changed();
  }

  #onUnreadable(day: string, agentId: string): void {
    this.#usageOf(day).noteUnreadable(agentId);
    this.#changed();
  }

  #setOwn({ day, agentId, persona, spent }: UsageEntry, models?: ReadonlyMap<string, Spent>): void {
    this.#usageOf(day).noteUsage(agentId, persona, spent, models);
    this.#exchange.publish(day, agentId);
    this.#changed();
  }

  #changed(): void {
    for (const callback of this.#listeners) callback();
  }

  #usageOf(day: string): DailyUsage {
    const found = this.#days.get(day);
    if (found) return found;
    const usage = new DailyUsage(day);
    this.#days.set(day, usage);
    const oldest = this.#dayOf(Date.now() - longestDayMs);
    for (const old of this.#days.keys()) if (old < oldest) this.#days.delete(old);
    this.#exchange.forgetBefore(oldest);
    return usage;
  }

  #dayOf(ts: number): string {
    return dayOf(ts, this.#deps.timeZone);
  }

  [Symbol.dispose](): void {
    this.#exchange[Symbol.dispose]();
    this.#listeners.clear();
  }
}

function byModel(used: readonly SpentAt[]): Map<string, Spent> {
  const models = new Map<string, Spent>();
  for (const { model, spent } of used) {
    if (model === undefined || (!models.has(model) && models.size >= maxModels)) continue;
    models.set(model, addedSpent(models.get(model) ?? nothingSpent, spent));
  }
  return models;
}
