/** Usage of a run's model calls, added up. */
import type { Usage } from "../../protocol/events/usage.ts";
import type { CallUsage } from "./provider.ts";

export class UsageTotals {
  #input = 0;
  #cached = 0;
  #cacheWrite = 0;
  #output = 0;
  #reasoning = 0;
  #searches = 0;
  #cost: number | null = 0;

  /** `undefined`: a call whose provider said nothing. What isn't known is never guessed: the cost is unknown from then on. */
  add(usage: CallUsage | undefined): void {
    this.#input += usage?.input_tokens ?? 0;
    this.#cached += usage?.cached_input_tokens ?? 0;
    this.#cacheWrite += usage?.cache_write_input_tokens ?? 0;
    this.#output += usage?.output_tokens ?? 0;
    this.#reasoning += usage?.reasoning_tokens ?? 0;
    this.#searches += usage?.web_searches ?? 0;
    const cost = usage?.cost_usd ?? null;
    this.#cost = this.#cost === null || cost === null ? null : this.#cost + cost;
  }

  /** As `finish` has it. `total_tokens` is input and output: cached and reasoning tokens are parts of these. */
  of(model: string): Usage {
    return {
      model,
      input_tokens: this.#input,
      cached_input_tokens: this.#cached,
      ...(this.#cacheWrite > 0 && { cache_write_input_tokens: this.#cacheWrite }),
      output_tokens: this.#output,
      reasoning_tokens: this.#reasoning,
      ...(this.#searches > 0 && { web_searches: this.#searches }),
      total_tokens: this.#input + this.#output,
      cost_usd: this.#cost,
    };
  }
}
