/**
 * What a task may use: shares that cortex has taken out of the limits of the turns that asked for it, less what it has used
 * and given to tasks of its own. So all that comes of a turn keeps within the limits of that turn.
 */
import { setTimeout as delay } from "node:timers/promises";
import { askGrant } from "../../bus/runs/grants.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { TreeLimits } from "../../protocol/runs/grant.ts";
import { costAtMost, type Spent, tokensOf } from "../../protocol/runs/spent.ts";
import type { AgentRecord } from "../record/agent-record.ts";

/** Half of what is left: the other half is for the turn itself, and for others that it sends off. */
const share = 0.5;

/** Cortex may be away: it comes back, and knows by the id what it has given. In ms. */
const againMs = 200;

/** Less than this is no money: sums of decimal fractions are off by a little. */
const smallestUsd = 1e-9;

export type Amounts = Readonly<Record<string, number>>;

/**
 * Takes a share of what the running turn of an agent may yet use.
 * @param id under which it is taken once, however often it is asked for
 */
export async function shareOfTurn(
  { deps, state }: AgentRecord,
  id: string,
): Promise<{ limits: Amounts } | { error: string }> {
  const { turn } = state;
  if (!turn) return { error: "the turn is over" };
  for (;;) {
    const answer = await askGrant(deps.bus, turn.run_id, { id, share });
    if (answer?.ok) return { limits: (answer.limits ?? {}) as Amounts };
    if (answer) return { error: answer.error ?? "nothing was given" };
    if (runState(deps.journal, turn.run_id) === "ended") return { error: "the turn is over" };
    await delay(againMs);
  }
}

/** Amounts, each with what there was before. */
export function increased(amounts: Amounts, before: Amounts = {}): Amounts {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount + (before[name] ?? 0)]));
}

/** What a run has used of its limits, as its events tell. */
export class RunUse {
  #given: Amounts = {};
  #begun: number | null = null;
  #ended = 0;

  take(event: AgentEvent): void {
    if (event.event === "start") this.#begun ??= event.ts;
    this.#ended = event.ts;
    const given = event.event === "granted" ? TreeLimits.safeParse(event["limits"]).data : undefined;
    if (given) this.#given = increased(given as Amounts, this.#given);
  }

  /** What is left of limits. Nothing is 0. */
  left(limits: Amounts, spent: Spent, unknownPriceUsd: number): Amounts {
    const used: Amounts = {
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
