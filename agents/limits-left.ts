/** What a turn may give of its limits to a sub-agent that it sends off. */
import { readRun } from "../journal/read-run.ts";
import { added, costAtMost, defaultUnknownPriceUsd, nothingSpent, spentBy, tokensOf } from "../protocol/spent.ts";
import type { Agent } from "./agent.ts";
import { personaOf } from "./turn-request.ts";

/** Half of what is left: the other half is for the turn itself, and for others that it sends off. */
const share = 0.5;

/** Limits that hold for a whole tree, by name; empty where there are none. @param siblings sent off by the same turn */
export function limitsLeft(agent: Agent, siblings: readonly Agent[]): Record<string, number> {
  const { host, state } = agent;
  const { turn } = state;
  if (!turn) return {};
  const limits: Record<string, unknown> = {
    ...host.settings().limits,
    ...host.persona(personaOf(agent))?.settings,
    ...turn.request,
  };
  let spent = nothingSpent;
  for (const event of readRun(host.journal, turn.run_id)?.events ?? []) {
    const more = spentBy(event, spent);
    if (more) spent = added(spent, more);
  }
  const price = host.settings().budgets?.unknown_price_usd ?? defaultUnknownPriceUsd;
  const used = { max_cost_usd: costAtMost(spent, price), max_total_tokens: tokensOf(spent) };
  const left: Record<string, number> = {};
  for (const [name, amount] of Object.entries(used)) {
    const { [name]: limit } = limits;
    if (typeof limit !== "number") continue;
    const given = siblings.reduce((sum, { state: { task } }) => sum + (task?.limits?.[name] ?? 0), 0);
    const rest = (limit - amount - given) * share;
    left[name] = Math.max(0, name === "max_total_tokens" ? Math.floor(rest) : rest);
  }
  return left;
}
