/** What a run has used, when and with which model, as its events tell it. Pure. */
import { z } from "zod";
import type { AgentEvent } from "../protocol/event.ts";
import { AgentId } from "../protocol/names.ts";
import { added, nothingSpent, Spent, spentBy } from "../protocol/spent.ts";

/** Wherever days begin, it is at a quarter of an hour: so sums by quarters can be put together to the days of any time zone. */
const quarterMs = 900_000;

export const RunCost = z.object({
  agent_id: AgentId,
  persona: z.string(),
  backend: z.string().nullable(),
  /** When its first process was at work, in ms; null when none ever was. */
  started: z.number().nullable(),
  parts: z.array(
    z.object({
      /** When the quarter of an hour began, in ms. */
      quarter: z.number(),
      model: z.string().nullable(),
      spent: Spent,
    }),
  ),
});
export type RunCost = z.infer<typeof RunCost>;

export function runCost(agentId: string, events: AgentEvent[]): RunCost {
  const request = events.find(({ event }) => event === "request");
  const start = events.find(({ event }) => event === "start");
  const model = textOf(start?.["model"]) ?? textOf(request?.["model"]);
  const parts = new Map<string, RunCost["parts"][number]>();
  let total = nothingSpent;
  for (const event of events) {
    const spent = spentBy(event, total);
    if (!spent) continue;
    total = added(total, spent);
    const part = { quarter: event.ts - (event.ts % quarterMs), model: textOf(event["model"]) ?? model ?? null };
    const key = `${part.quarter} ${part.model}`;
    parts.set(key, { ...part, spent: added(parts.get(key)?.spent ?? nothingSpent, spent) });
  }
  return {
    agent_id: agentId,
    // The request's own: what an agent says of itself in `start` gets it around no limit.
    persona: textOf(request?.["persona"]) ?? "default",
    backend: textOf(start?.["backend"]) ?? textOf(request?.["backend"]) ?? null,
    started: start?.ts ?? null,
    parts: [...parts.values()],
  };
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
