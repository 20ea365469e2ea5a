/** What a turn may give of its limits to a sub-agent that it sends off. */
import { setTimeout as delay } from "node:timers/promises";
import { readRun } from "../journal/read-run.ts";
import type { AgentEvent } from "../protocol/event.ts";
import { added, costAtMost, defaultUnknownPriceUsd, nothingSpent, spentBy, tokensOf } from "../protocol/spent.ts";
import type { Agent } from "./agent.ts";
import { personaOf } from "./turn-request.ts";

/** Half of what is left: the other half is for the turn itself, and for others that it sends off. */
const share = 0.5;

/** A call of a tool comes before cortex has written what its model used: so long it is waited for, in ms. */
const behindMs = 2000;
const lookMs = 5;

/**
 * Limits that hold for a whole tree, by name; empty where there are none.
 * @param tasks that it has sent off, in whichever turn
 * @param callId of the call that asks for it
 */
export async function limitsLeft(
  agent: Agent,
  tasks: readonly Agent[],
  callId: string,
): Promise<Record<string, number>> {
  const { host, state } = agent;
  const { turn } = state;
  if (!turn) return {};
  const limits: Record<string, unknown> = {
    ...host.settings().limits,
    ...host.persona(personaOf(agent))?.settings,
    ...turn.request,
  };
  const isLimit = (name: string) => typeof limits[name] === "number";
  if (!["max_cost_usd", "max_total_tokens"].some(isLimit)) return {};
  let spent = nothingSpent;
  for (const event of await eventsUntil(host.journal, turn.run_id, callId)) {
    const more = spentBy(event, spent);
    if (more) spent = added(spent, more);
  }
  const price = host.settings().budgets?.unknown_price_usd ?? defaultUnknownPriceUsd;
  const used = { max_cost_usd: costAtMost(spent, price), max_total_tokens: tokensOf(spent) };
  const left: Record<string, number> = {};
  for (const [name, amount] of Object.entries(used)) {
    const { [name]: limit } = limits;
    if (typeof limit !== "number") continue;
    const given = tasks
      .filter(({ state: { task } }) => task?.run_id === turn.run_id)
      .reduce((sum, { state: { task } }) => sum + (task?.given?.[name] ?? 0), 0);
    const rest = (limit - amount - given) * share;
    left[name] = Math.max(0, name === "max_total_tokens" ? Math.floor(rest) : rest);
  }
  return left;
}

/** What a run's file tells, the call's begin included: what the model used for it stands before that. */
async function eventsUntil(journal: string, runId: string, callId: string): Promise<AgentEvent[]> {
  for (const end = performance.now() + behindMs; ; await delay(lookMs)) {
    const events = readRun(journal, runId)?.events ?? [];
    const isThere = events.some((event) => event.event === "tool_start" && event["call_id"] === callId);
    if (isThere || performance.now() > end) return events;
  }
}
