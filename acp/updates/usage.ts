/** The usage of a session: how full its conversation is, and what its runs have cost together. Pure. */
import type { UsageUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { addedSpent, nothingSpent, type Spent, spentBy } from "../../protocol/runs/spent.ts";

/** The window of a model of which nobody knows it, as runs take it. In tokens. */
const usualWindow = 32_000;

export class SessionUsage {
  /** Spent by the runs before this one, and by this one. */
  #before: Spent = nothingSpent;
  #run: Spent = nothingSpent;
  #used = 0;
  #window = usualWindow;

  /** The cost of the session, in US dollars, as far as it is known. */
  get costUsd(): number {
    return this.#before.cost_usd + this.#run.cost_usd;
  }

  /** Takes an event of a run. Returns what is to be told where it has changed. */
  next(event: AgentEvent): UsageUpdate | null {
    if (event.event === "request") {
      this.#before = addedSpent(this.#before, this.#run);
      this.#run = nothingSpent;
      return null;
    }
    const spent = spentBy(event, this.#run);
    if (!spent) return null;
    this.#run = addedSpent(this.#run, spent);
    const { context_tokens: context, context_window: window, purpose } = event;
    if (typeof window === "number" && window > 0) this.#window = window;
    // A call beside the conversation says nothing of how full that is.
    if (purpose === undefined)
      this.#used = typeof context === "number" ? context : spent.input_tokens + spent.output_tokens;
    return {
      used: this.#used,
      size: this.#window,
      cost: { amount: this.costUsd, currency: "USD" },
    };
  }
}
