/**
 * Counts what a run has used and given away, against its limits of money, tokens and model calls. What is left when it
 * hands off is its child's limit, so that the whole tree of a request keeps within that of its root. Pure.
 */
import type { Usage } from "../../protocol/events/usage.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { textField } from "../../protocol/runs/text-field.ts";
import type { TreeLimits } from "../../protocol/runs/request/grant.ts";
import { isRecord } from "../../protocol/json/json-object.ts";
import {
  absurdAmount,
  addedSpent,
  costAtMost,
  defaultUnknownPriceUsd,
  isCountable,
  nothingSpent,
  type Spent,
  spentBy,
  tokensOf,
  totalsOf,
} from "../../protocol/runs/spent.ts";
import { Suballocations } from "./suballocations.ts";

/** Less than this is not money: sums of decimal fractions are off by a little. */
const smallestUsd = 1e-9;

/** Sums of what a run has used and given away, whatever its limits are. */
export class Tally {
  /** The suballocations of the limits to others. */
  readonly shares = new Suballocations();
  spent = nothingSpent;
  unpricedModel: string | null = null;
  /** The first amount that nobody can have used. */
  absurd: string | null = null;

  /** Counts an event: each `usage`; the totals of a terminal event only where there was none. Returns what it told of. */
  count(event: EventBody): Spent | null {
    this.shares.count(event);
    const spent = spentBy(event, this.spent);
    if (!spent) return null;
    this.absurd ??= absurdIn(event);
    this.spent = addedSpent(this.spent, spent);
    if (spent.unpriced_tokens > 0) this.unpricedModel ??= textField(event, "model") || "its model";
    return spent;
  }
}

export class Budget {
  readonly #limits: TreeLimits;
  readonly #unknownPriceUsd: number;
  readonly #tally: Tally;

  /**
   * @param unknownPriceUsd what a million tokens without a known price count as
   * @param tally of what was used already
   */
  constructor(limits: TreeLimits, unknownPriceUsd = defaultUnknownPriceUsd, tally = new Tally()) {
    this.#limits = limits;
    this.#unknownPriceUsd = unknownPriceUsd;
    this.#tally = tally;
  }

  /** Counts an event. Returns what it told of. */
  count(event: EventBody): Spent | null {
    return this.#tally.count(event);
  }

  /** The suballocations of the limits to others. */
  get shares(): Suballocations {
    return this.#tally.shares;
  }

  /** All that was counted, as a terminal event has it; null when nothing was. */
  get totals(): Usage | null {
    return this.#tally.spent.calls === 0 ? null : totalsOf(this.#tally.spent);
  }

  /**
   * Says which limit is reached, or null. A last call may be made: only one beyond it is too many.
   * @param underWay what counts as if it was used
   */
  exceeded(underWay = nothingSpent): string | null {
    const all = addedSpent(this.#tally.spent, underWay);
    const { calls } = all;
    const [tokens, cost] = [tokensOf(all), costAtMost(all, this.#unknownPriceUsd)];
    const { max_cost_usd, max_total_tokens } = this.#limits;
    if (max_cost_usd !== undefined || max_total_tokens !== undefined) {
      const what = this.uncountable;
      if (what !== null) return `${what}: its limits of cost and tokens have nothing to go by`;
    }
    if (tokens >= this.#own("max_total_tokens")) return `used ${tokens} tokens, ${this.#limitOf("max_total_tokens")}`;
    if (cost >= this.#own("max_cost_usd") - smallestUsd)
      return `cost ${all.unpriced_tokens > 0 ? "at most " : ""}${cost.toFixed(4)} USD, ${this.#limitOf("max_cost_usd")}`;
    if (calls > this.#own("max_total_turns")) return `made ${calls} model calls, ${this.#limitOf("max_total_turns")}`;
    return null;
  }

  /** Says why what it has used can't be held against a limit, or null. */
  get uncountable(): string | null {
    const { absurd, spent } = this.#tally;
    if (absurd !== null) return `told of an amount that can't be (${absurd})`;
    return isCountable(spent) && Number.isFinite(this.#cost) ? null : "its usage is not a number";
  }

  /** Says which limit leaves no room for a further model call, or null. */
  spentUp(underWay = nothingSpent): string | null {
    const calls = this.#tally.spent.calls + underWay.calls;
    if (calls >= this.#own("max_total_turns")) return `made ${calls} model calls, ${this.#limitOf("max_total_turns")}`;
    return this.exceeded(underWay);
  }

  /**
   * Computes what is left for later runs. Nothing is 0.
   * @param last the terminal event, where it is yet to be counted
   */
  left(last?: EventBody): TreeLimits {
    const { max_cost_usd, max_total_tokens, max_total_turns } = this.#limits;
    const spent = last ? this.#with(last) : this.#tally.spent;
    const money = this.#own("max_cost_usd") - costAtMost(spent, this.#unknownPriceUsd);
    const tokens = Math.floor(this.#own("max_total_tokens") - tokensOf(spent));
    const calls = this.#own("max_total_turns") - spent.calls;
    return {
      ...(max_cost_usd === undefined ? {} : { max_cost_usd: money < smallestUsd ? 0 : money }),
      ...(max_total_tokens === undefined ? {} : { max_total_tokens: Math.max(0, tokens) }),
      ...(max_total_turns === undefined ? {} : { max_total_turns: Math.max(0, calls) }),
    };
  }

  /** The caveat about its sums: that a price is missing. Null when there is none. */
  get caveat(): string | null {
    if (this.#limits.max_cost_usd === undefined || this.#tally.unpricedModel === null) return null;
    return `no price is known for ${this.#tally.unpricedModel}: a million of its tokens count as ${this.#unknownPriceUsd} USD against max_cost_usd (budgets.unknown_price_usd in cortex.json)`;
  }

  /**
   * Computes the caveat in the end: that there was nothing, or not all, to be counted. Null when there is none.
   * @param last the terminal event, which is yet to be counted
   */
  lastCaveat(last: EventBody): string | null {
    const { max_cost_usd, max_total_tokens } = this.#limits;
    if (max_cost_usd === undefined && max_total_tokens === undefined) return null;
    const { calls, untold_calls } = this.#with(last);
    if (calls === 0) return "the backend told of no usage: its limits of cost and tokens had nothing to go by";
    if (untold_calls === 0) return null;
    return `${untold_calls} of ${calls} model calls told of no tokens: they are missing from what limits of cost and tokens go by`;
  }

  /** Computes the part of a limit that the run itself may use. */
  #own(name: keyof TreeLimits): number {
    return (this.#limits[name] ?? Infinity) - this.shares.total(name);
  }

  #limitOf(name: keyof TreeLimits): string {
    const given = this.shares.total(name);
    const rest = given === 0 ? "" : `, of which ${Number(given.toFixed(6))} went to those whom it sent off`;
    return `the limit ${name} is ${this.#limits[name]}${rest}`;
  }

  #with(last: EventBody): Spent {
    const spent = spentBy(last, this.#tally.spent);
    return spent ? addedSpent(this.#tally.spent, spent) : this.#tally.spent;
  }

  get #cost(): number {
    return costAtMost(this.#tally.spent, this.#unknownPriceUsd);
  }
}

const absurdIn = (event: EventBody): string | null => absurdAmount(isRecord(event["usage"]) ? event["usage"] : event);
