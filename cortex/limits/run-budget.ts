/** The budget of a run: its own limits, those of its tree, and what the settings allow on a day. */
import type { Usage } from "../../protocol/events/usage.ts";
import type { AgentEvent, EventBody } from "../../protocol/runs/event.ts";
import type { GrantRequest, TreeLimits } from "../../protocol/runs/request/grant.ts";
import { hasLimit } from "../../protocol/settings/budgets.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { Clock } from "../model/clock.ts";
import { Budget } from "./budget.ts";
import type { Plan } from "../plan/merge.ts";
import type { RunRecord } from "../plan/run-record.ts";
import { type CallsUnderWay, mostOf, type ReservedCall } from "./calls-under-way.ts";
import { modelOf, type RunSoFar } from "./run-so-far.ts";
import { suballocationOf } from "./suballocations.ts";
import type { Waits } from "./waits.ts";
import type { UsageStore } from "./usage-store.ts";

/** More than these are an agent's own inventions. */
const mostModels = 100;

/** When a run's time is over, and in which way it ends then. */
export type WallClock = { ms: number; reason: "timeout" | "budget"; error: string };

/** A share of a run's limits; one that was given before isn't new. */
export type Suballocation = { limits: TreeLimits; isNew: boolean } | { spent: string };

/** The dependencies of a run's limits beside the run itself. */
type RunBudgetDeps = {
  clock: Clock;
  settings: () => Settings;
  /** The daily usage of all runs. */
  usage: Pick<UsageStore, "restate" | "add" | "exceeded" | "onChange">;
  /** Calls that are under way through the gateway, of all runs. */
  underWay: Pick<CallsUnderWay, "all" | "of">;
};

/** Why a call isn't made: a limit is reached, or would be by the calls that are under way. */
export type CallRefusal = { refused: "cap" | "under_way"; error: string };

export class RunBudget {
  readonly #plan: Plan;
  readonly #agentId: string;
  readonly #clock: Clock;
  readonly #settings: RunBudgetDeps["settings"];
  readonly #usage: RunBudgetDeps["usage"];
  readonly #underWay: RunBudgetDeps["underWay"];
  /** The models that the run has used. */
  readonly #models: Set<string>;
  readonly #budget: Budget;
  /** When the run waited for a person. */
  readonly waits: Waits;
  #hasCaveat: boolean;

  /** @param soFar what the run's file says already */
  constructor(deps: RunBudgetDeps, agentId: string, plan: Plan, soFar: RunSoFar) {
    this.waits = soFar.waits;
    this.#plan = plan;
    this.#agentId = agentId;
    this.#clock = deps.clock;
    this.#settings = deps.settings;
    this.#usage = deps.usage;
    this.#budget = new Budget(plan.limits, deps.settings().budgets?.unknown_price_usd, soFar.tally);
    this.#underWay = deps.underWay;
    this.#models = soFar.models;
    this.#usage.restate(agentId, plan.persona, soFar.used);
    const { caveat } = this.#budget;
    this.#hasCaveat = caveat !== null && soFar.hasNote(caveat);
  }

  /** Counts an event as it stands in the file. */
  count(event: AgentEvent): void {
    this.waits.add(event);
    const spent = this.#budget.count(event);
    if (!spent) return;
    const model = modelOf(event) ?? this.#plan.model;
    if (model !== undefined && this.#models.size < mostModels) this.#models.add(model);
    this.#usage.add(this.#agentId, this.#plan.persona, { ts: event.ts, spent, model });
  }

  /** Says why a call to one of these models isn't made, or null. */
  refusal(models: readonly string[]): CallRefusal | null {
    const cap = this.#refusedBy(models, []);
    if (cap !== null) return { refused: "cap", error: cap };
    const full = this.#refusedBy(models, this.#underWay.all);
    return full === null ? null : { refused: "under_way", error: `by the calls that are under way, at most: ${full}` };
  }

  #refusedBy(models: readonly string[], underWay: readonly ReservedCall[]): string | null {
    const own = underWay.filter(({ agent_id }) => agent_id === this.#agentId);
    return (
      this.#budget.spentUp(mostOf(own)) ??
      this.#isUncountable() ??
      this.#usage.exceeded(this.#plan.persona, { models, underWay })
    );
  }

  get totals(): Usage | null {
    return this.#budget.totals;
  }

  /** Says which limit is reached, or null. */
  reached(): string | null {
    return this.#budget.exceeded() ?? this.#isUncountable() ?? this.dayIsOver();
  }

  /** Says why the day's limits can't be held where nobody can count the run's usage; else null. */
  #isUncountable(): string | null {
    const { daily, personas, models } = this.#settings().budgets ?? {};
    const limits = [daily, personas?.[this.#plan.persona]?.daily, ...Object.values(models ?? {})];
    const isLimited = limits.some((one) => hasLimit(one));
    const what = isLimited ? this.#budget.uncountable : null;
    return what === null ? null : `${what}: the day's limits have nothing to go by`;
  }

  /** Says why an attempt had better not begin, or null. */
  spentUp(): string | null {
    return this.#budget.spentUp() ?? this.#isUncountable() ?? this.dayIsOver();
  }

  /** Says which limit of the day is reached, or null. */
  dayIsOver(): string | null {
    const { model } = this.#plan;
    const models = [...(model === undefined ? [] : [model]), ...this.#models];
    return this.#usage.exceeded(this.#plan.persona, { models });
  }

  /** Calls back whenever others have used something, and once now. */
  onOthers(callback: () => void): Disposable {
    return this.#usage.onChange(callback);
  }

  /** Takes the caveat about its sums, once; null when there is none. */
  takeCaveat(): string | null {
    if (this.#hasCaveat) return null;
    const { caveat } = this.#budget;
    this.#hasCaveat = caveat !== null;
    return caveat;
  }

  /** Computes the caveat about its sums in the end; null when there is none. */
  lastCaveat(finish: EventBody): string | null {
    return this.#budget.lastCaveat(finish);
  }

  /**
   * Computes the limits that a run leaves to later runs.
   * @param finish its terminal event, whose totals count where it told nothing else; absent: it goes on
   */
  left(record: RunRecord, finish?: EventBody): TreeLimits {
    const left = this.#budget.left(finish);
    if (this.#plan.limits.max_total_seconds === undefined) return left;
    return { ...left, max_total_seconds: Math.max(0, this.#ownMs(record) / 1000) };
  }

  /** Suballocates to somebody whom the run sends off. It is given when the run's file says so. */
  suballocate({ id, share }: GrantRequest, record: RunRecord): Suballocation {
    const known = this.#budget.shares.of(id);
    if (known) return { limits: known, isNew: false };
    const limits = suballocationOf(this.left(record), share);
    const spent = Object.entries(limits).find(([, amount]) => amount <= 0)?.[0];
    return spent === undefined ? { limits, isNew: true } : { spent };
  }

  /** Computes the time of its tree that is left for the run itself. */
  #ownMs(record: RunRecord): number {
    const { max_total_seconds = Infinity } = this.#plan.limits;
    return (max_total_seconds - this.#budget.shares.total("max_total_seconds")) * 1000 - this.#usedMs(record);
  }

  /** Its own wall clock, or what is left of its tree's time when that is shorter. */
  wallClock(record: RunRecord): WallClock {
    const { timeout_seconds, max_total_seconds } = this.#plan.limits;
    const own: WallClock = {
      ms: timeout_seconds * 1000 - this.#attemptMs(record),
      reason: "timeout",
      error: `ran longer than timeout_seconds, ${timeout_seconds} s`,
    };
    if (max_total_seconds === undefined) return own;
    const ms = this.#ownMs(record);
    const error = `ran longer than what was left of max_total_seconds, ${max_total_seconds} s`;
    return ms < own.ms ? { ms, reason: "budget", error } : own;
  }

  /** How long a run has run, all its attempts together, in ms. */
  #usedMs(record: RunRecord): number {
    return (record.spent_ms ?? 0) + this.#attemptMs(record);
  }

  #attemptMs({ started }: RunRecord): number {
    const { wall } = this.#clock.now();
    return Math.max(0, wall - started - this.waits.within(started, wall));
  }

  /**
   * How long it ran before its next attempt, in ms: to the last thing that was heard of it. The time in which nobody
   * knew that it was lost doesn't count, nor that in which a person was waited for.
   */
  msBefore({ spent_ms = 0, started }: RunRecord, lastEvent: number | null): number {
    const heard = Math.min(this.#clock.now().wall, lastEvent ?? started);
    return spent_ms + Math.max(0, heard - started - this.waits.within(started, heard));
  }
}
