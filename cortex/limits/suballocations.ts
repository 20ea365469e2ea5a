/**
 * The suballocations of a run to those whom it sent off: each share once, by the id under which it was asked for. Pure.
 */
import type { EventBody } from "../../protocol/runs/event.ts";
import { TreeLimits } from "../../protocol/runs/request/grant.ts";
import { isRecord } from "../../protocol/json/json-object.ts";

export class Suballocations {
  readonly #given = new Map<string, TreeLimits>();

  /** Counts an event as it stands in the run's file. */
  count({ event, id, limits }: EventBody): void {
    const given = event === "granted" && isRecord(limits) ? TreeLimits.safeParse(limits).data : undefined;
    if (given && typeof id === "string" && !this.#given.has(id)) this.#given.set(id, given);
  }

  /** Finds the share that was given under an id; null: none was. */
  of(id: string): TreeLimits | null {
    return this.#given.get(id) ?? null;
  }

  /** All that was given of a limit. */
  total(name: keyof TreeLimits): number {
    return [...this.#given.values()].reduce((sum, { [name]: amount = 0 }) => sum + amount, 0);
  }
}

/** A share of what is left: of tokens and calls whole ones. */
export function suballocationOf(left: TreeLimits, share: number): TreeLimits {
  const { max_cost_usd, max_total_tokens, max_total_turns, max_total_seconds } = left;
  return {
    ...(max_cost_usd === undefined ? {} : { max_cost_usd: max_cost_usd * share }),
    ...(max_total_tokens === undefined ? {} : { max_total_tokens: Math.floor(max_total_tokens * share) }),
    ...(max_total_turns === undefined ? {} : { max_total_turns: Math.floor(max_total_turns * share) }),
    ...(max_total_seconds === undefined ? {} : { max_total_seconds: max_total_seconds * share }),
  };
}
