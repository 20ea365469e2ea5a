/** Counts what a run has used, against its limits of money and tokens. */
import { Usage, type EventBody } from "../protocol/event.ts";

export type BudgetLimits = { max_cost_usd?: number | undefined; max_total_tokens?: number | undefined };

/** Less than this is no money: a limit that must stay positive. */
const smallestUsd = 1e-9;

export class Budget {
  readonly #limits: BudgetLimits;
  #tokens = 0;
  #costUsd = 0;

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
