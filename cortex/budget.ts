/** Counts what a run has used, against its limits of money and tokens. */
import { Usage, type EventBody } from "../protocol/event.ts";

export type BudgetLimits = { max_cost_usd?: number | undefined; max_total_tokens?: number | undefined };

/** Less than this is no money: a limit that must stay positive. */
const smallestUsd = 1e-9;

export class Budget {
  readonly #limits: BudgetLimits;
  #tokens = 0;
  #costUsd = 0;
  #totals: Usage | null = null;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /** Counts an event; only `usage` counts, so that the totals in `finish` aren't counted twice. */
  count(event: EventBody): void {
    if (event.event !== "usage") return;
    const usage = Usage.safeParse(event);
    if (!usage.success) return;
    this.#tokens += (usage.data.input_tokens ?? 0) + (usage.data.output_tokens ?? 0);
    this.#costUsd += usage.data.cost_usd ?? 0;
    this.#totals = added(this.#totals, usage.data);
  }

  /** All that was counted, as a terminal event has it; null when nothing was. */
  get totals(): Usage | null {
    return this.#totals;
  }

  /** Says which limit is reached, or null. */
  exceeded(): string | null {
    const { max_cost_usd, max_total_tokens } = this.#limits;
    if (max_total_tokens !== undefined && this.#tokens >= max_total_tokens)
      return `used ${this.#tokens} tokens, the limit max_total_tokens is ${max_total_tokens}`;
    if (max_cost_usd !== undefined && this.#costUsd >= max_cost_usd)
      return `cost ${this.#costUsd.toFixed(4)} USD, the limit max_cost_usd is ${max_cost_usd}`;
    return null;
  }

  /** What is left for those who come after. */
  left(): { max_cost_usd?: number; max_total_tokens?: number } {
    const { max_cost_usd, max_total_tokens } = this.#limits;
    return {
      ...(max_cost_usd === undefined ? {} : { max_cost_usd: Math.max(smallestUsd, max_cost_usd - this.#costUsd) }),
      ...(max_total_tokens === undefined
        ? {}
        : { max_total_tokens: Math.max(1, Math.floor(max_total_tokens - this.#tokens)) }),
    };
  }
}

/** What isn't known makes a sum unknown: a cost, that is. Tokens that weren't told are none. */
function added(before: Usage | null, more: Usage): Usage {
  const sum = (key: "input_tokens" | "cached_input_tokens" | "output_tokens" | "reasoning_tokens") =>
    (before?.[key] ?? 0) + (more[key] ?? 0);
  const [input_tokens, output_tokens] = [sum("input_tokens"), sum("output_tokens")];
  const costs = [before ? before.cost_usd : 0, more.cost_usd];
  return {
    input_tokens,
    cached_input_tokens: sum("cached_input_tokens"),
    output_tokens,
    reasoning_tokens: sum("reasoning_tokens"),
    total_tokens: input_tokens + output_tokens,
    cost_usd: costs.every((cost) => typeof cost === "number") ? costs.reduce((a, b) => a + b, 0) : null,
  };
}
