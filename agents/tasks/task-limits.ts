/**
 * Limits of a task: suballocated by cortex from the limits of the turns that asked for it, less what the task has used and
 * passed on to tasks of its own. So everything that a turn causes keeps within the limits of that turn.
 */
import { setTimeout as delay } from "node:timers/promises";
import { askGrant } from "../../bus/runs/grants.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { TreeLimits } from "../../protocol/runs/request/grant.ts";
import { costAtMost, type Spent, tokensOf } from "../../protocol/runs/spent.ts";
import type { AgentRecord } from "../record/agent-record.ts";

/** Part of what is left that goes to a task; the rest is for the turn itself, and for other tasks. */
const share = 0.5;

/** Cortex may be away: it comes back, and knows by the id what it has given. In ms. */
const againMs = 200;

/** Less than this is not money: sums of decimal fractions are off by a little. */
const smallestUsd = 1e-9;

export type LimitsLeft = Readonly<Record<string, number>>;

/**
 * Takes a part of what the running turn of an agent may yet use.
 * @param id under which it is taken once, however often it is asked for
 */
export async function suballocate(
  { deps, state }: AgentRecord,
  id: string,
): Promise<{ limits: LimitsLeft } | { error: string }> {
  const { turn } = state;
  if (!turn) return { error: "the turn is over" };
  for (;;) {
    const answer = await askGrant(deps.bus, turn.run_id, { id, share });
    if (answer?.ok) return { limits: (answer.limits ?? {}) as LimitsLeft };
    if (answer) return { error: answer.error ?? "nothing was given" };
    if (runState(deps.journal, turn.run_id) === "ended") return { error: "the turn is over" };
    await delay(againMs);
  }
}

/** Adds limits to those that there were before. */
export function addLimits(limits: LimitsLeft, before: LimitsLeft = {}): LimitsLeft {
  return Object.fromEntries(Object.entries(limits).map(([name, amount]) => [name, amount + (before[name] ?? 0)]));
}

/** Usage of a run's limits, as its events tell. */
export class RunUsage {
  #given: LimitsLeft = {};
  #begun: number | null = null;
  #ended = 0;

  applyEvent(event: AgentEvent): void {
    if (event.event === "start") this.#begun ??= event.ts;
    this.#ended = event.ts;
    const given = event.event === "granted" ? TreeLimits.safeParse(event["limits"]).data : undefined;
    if (given) this.#given = addLimits(given as LimitsLeft, this.#given);
  }

  /** Subtracts usage from limits; 0 where they are exhausted. */
  leftOf(limits: LimitsLeft, spent: Spent, unknownPriceUsd: number): LimitsLeft {
    const used: LimitsLeft = {
      max_cost_usd: costAtMost(spent, unknownPriceUsd),
      max_total_tokens: Math.ceil(tokensOf(spent)),
      max_total_turns: spent.calls,
      max_total_seconds: Math.max(0, this.#ended - (this.#begun ?? this.#ended)) / 1000,
    };
    return Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => {
        const rest = limit - (used[name] ?? 0) - (this.#given[name] ?? 0);
        return [name, rest < smallestUsd ? 0 : rest];
      }),
    );
  }
}
