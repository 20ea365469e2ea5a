/** Model calls that are under way through the gateway, of all runs of this cortex: what they may use at most is set aside. */
import { addedSpent, nothingSpent, type Spent } from "../../protocol/runs/spent.ts";
import type { CallUnderWay } from "../../protocol/runs/metering.ts";

/** @field gateway the life of the gateway that makes it */
export type ReservedCall = CallUnderWay & { persona: string; gateway: string };

export class CallsUnderWay {
  readonly #calls = new Map<string, ReservedCall>();

  get all(): readonly ReservedCall[] {
    return [...this.#calls.values()];
  }

  has(call: string): boolean {
    return this.#calls.has(call);
  }

  of(agentId: string): ReservedCall[] {
    return this.all.filter(({ agent_id }) => agent_id === agentId);
  }

  reserve(call: ReservedCall): void {
    this.#calls.set(call.call, call);
  }

  release(call: string): void {
    this.#calls.delete(call);
  }
}

/** Sums up what calls may use at most. */
export const mostOf = (calls: readonly Pick<CallUnderWay, "most">[]): Spent =>
  calls.map(({ most }) => most).reduce(addedSpent, nothingSpent);
