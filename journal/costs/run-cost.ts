/** The usage of a run, when and with which model, as its events tell it. Pure. */
import { z } from "zod";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { addedSpent, nothingSpent, Spent, spentBy } from "../../protocol/runs/spent.ts";

/** Wherever days begin, it is at a quarter of an hour: so sums by quarters can be put together to the days of any time zone. */
const quarterMs = 900_000;

export const RunCost = z.object({
  agent_id: AgentId,
  persona: z.string(),
  /** The long-lived agent whose turn it is. */
  agent: z.string().nullable(),
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

/** More models than these in one run are an agent's own inventions: their sums go together. */
const maxParts = 500;

/** The cost of a run, event by event. */
export class RunCostSum {
  readonly #agentId: string;
  readonly #parts = new Map<string, RunCost["parts"][number]>();
  #request: { persona?: string; agent?: string; backend?: string; model?: string } | undefined;
  #start: { backend?: string; model?: string; ts: number } | undefined;
  #total = nothingSpent;

  constructor(agentId: string) {
    this.#agentId = agentId;
  }

  /** Takes the next event. */
  add(event: AgentEvent): void {
    if (event.event === "request") this.#request ??= textsOf(event, ["persona", "agent", "backend", "model"]);
    if (event.event === "start") this.#start ??= { ...textsOf(event, ["backend", "model"]), ts: event.ts };
    const spent = spentBy(event, this.#total);
    if (!spent) return;
    this.#total = addedSpent(this.#total, spent);
    const quarter = event.ts - (event.ts % quarterMs);
    const own = textOf(event["model"]) ?? null;
    const isMany = this.#parts.size >= maxParts && !this.#parts.has(`${quarter} ${own}`);
    const part = { quarter, model: isMany ? null : own };
    const key = `${quarter} ${part.model}`;
    this.#parts.set(key, { ...part, spent: addedSpent(this.#parts.get(key)?.spent ?? nothingSpent, spent) });
  }

  get cost(): RunCost {
    const model = this.#start?.model ?? this.#request?.model ?? null;
    const parts = new Map<string, RunCost["parts"][number]>();
    for (const part of this.#parts.values()) {
      const named = { ...part, model: part.model ?? model };
      const key = `${named.quarter} ${named.model}`;
      parts.set(key, { ...named, spent: addedSpent(parts.get(key)?.spent ?? nothingSpent, named.spent) });
    }
    return {
      agent_id: this.#agentId,
      // The request's own: what an agent says of itself in `start` gets it around no limit.
      persona: this.#request?.persona ?? "default",
      agent: this.#request?.agent ?? null,
      backend: this.#start?.backend ?? this.#request?.backend ?? null,
      started: this.#start?.ts ?? null,
      parts: [...parts.values()],
    };
  }
}

const textsOf = (event: AgentEvent, names: string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = textOf(event[name]);
      return text === undefined ? [] : [[name, text]];
    }),
  );

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
