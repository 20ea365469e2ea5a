/** The usage of runs in some days, put together by day, persona, long-lived agent, task, backend or model. Pure. */
import type { RunCost } from "./run-cost.ts";
import { dayOf } from "../../protocol/names/day.ts";
import { addedSpent, isCostKnown, nothingSpent, type Spent, tokensOf } from "../../protocol/runs/spent.ts";

export const groupings = ["day", "persona", "agent", "task", "backend", "model"] as const;
export type Grouping = (typeof groupings)[number];

/** Sums of some runs. */
export type CostRow = {
  runs: number;
  /** The runs that told no usage at all. */
  unknown_runs: number;
  calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  total_tokens: number;
  /** Null when part of it isn't known. */
  cost_usd: number | null;
  /** The part that is known. */
  known_cost_usd: number;
  /** The tokens whose price isn't known. */
  unpriced_tokens: number;
};

/** The cost of a name's runs on a day. */
export type DayCost = { day: string; name: string; runs: number; known_cost_usd: number };

export type CostReport = {
  rows: (CostRow & { name: string })[];
  total: CostRow;
  /** The days and names of which there is something, the oldest first. */
  days: DayCost[];
};

/**
 * The local days, both included.
 * @field agentOf whose a run is that an agent or its task asked for; absent: the agent's own
 * @field isTask whether an agent is a task of another; absent: none is
 */
export type Range = {
  from: string;
  to: string;
  timeZone: string;
  agentOf?: (agent: string) => string;
  isTask?: (agent: string) => boolean;
};

/** The name of runs that are no agent's, or no task's. */
export const noAgent = "none";

type Part = { agentId: string; day: string; name: string; spent: Spent | null };

export function costReport(costs: Iterable<RunCost>, by: Grouping, range: Range): CostReport {
  const parts: Part[] = [];
  const dayAt = days(range.timeZone);
  for (const cost of costs) parts.push(...partsOf(cost, by, range, dayAt));
  const rows = [...Map.groupBy(parts, ({ name }) => name)].map(([name, ofName]) => ({ name, ...rowOf(ofName) }));
  return { rows: rows.toSorted(by === "day" ? byName : byCost), total: rowOf(parts), days: daysOf(parts) };
}

function daysOf(parts: readonly Part[]): DayCost[] {
  const ofDay = [...Map.groupBy(parts, ({ day, name }) => `${day} ${name}`)].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return ofDay.flatMap(([, some]) => {
    const [first] = some;
    if (!first) return [];
    const { runs, known_cost_usd } = rowOf(some);
    return [{ day: first.day, name: first.name, runs, known_cost_usd }];
  });
}

function partsOf(
  cost: RunCost,
  by: Grouping,
  { from, to, agentOf = (own) => own, isTask = () => false }: Range,
  dayAt: (ms: number) => string,
): Part[] {
  const { agent_id: agentId, persona, backend, started, parts } = cost;
  const agent = cost.agent === null ? noAgent : agentOf(cost.agent);
  const task = cost.agent !== null && isTask(cost.agent) ? cost.agent : noAgent;
  const nameOf = (day: string, model: string | null) =>
    ({ day, persona, agent, task, backend: backend ?? "unknown", model: model ?? "unknown" })[by];
  const isWanted = (day: string) => from <= day && day <= to;
  const told = parts.flatMap(({ quarter, model, spent }) => {
    const day = dayAt(quarter);
    return isWanted(day) ? [{ agentId, day, name: nameOf(day, model), spent }] : [];
  });
  // A run of which no process was ever at work has used nothing; of any other that told nothing it isn't known.
  if (parts.length > 0 || started === null) return told;
  const day = dayAt(started);
  return isWanted(day) ? [{ agentId, day, name: nameOf(day, null), spent: null }] : [];
}

function rowOf(parts: readonly Part[]): CostRow {
  const spent = parts.map((part) => part.spent ?? nothingSpent).reduce(addedSpent, nothingSpent);
  const unknown = parts.filter((part) => part.spent === null).length;
  const { calls, input_tokens, cached_input_tokens, output_tokens, reasoning_tokens, unpriced_tokens } = spent;
  const known_cost_usd = rounded(spent.cost_usd);
  return {
    runs: new Set(parts.map(({ agentId }) => agentId)).size,
    unknown_runs: unknown,
    calls,
    input_tokens,
    cached_input_tokens,
    output_tokens,
    reasoning_tokens,
    total_tokens: tokensOf(spent),
    cost_usd: unknown === 0 && isCostKnown(spent) ? known_cost_usd : null,
    known_cost_usd,
    unpriced_tokens,
  };
}

/** To a billionth of a dollar: the rest is floating point. */
const rounded = (usd: number) => Math.round(usd * 1e9) / 1e9;

/** The days of many moments: a quarter of an hour lies in one. */
function days(timeZone: string): (ms: number) => string {
  const known = new Map<number, string>();
  return (ms) => {
    const quarter = Math.floor(ms / 900_000);
    const day = known.get(quarter) ?? dayOf(ms, timeZone);
    known.set(quarter, day);
    return day;
  };
}

type Named = CostRow & { name: string };
const byName = (a: Named, b: Named) => (a.name < b.name ? -1 : 1);
const byCost = (a: Named, b: Named) =>
  b.known_cost_usd - a.known_cost_usd || b.total_tokens - a.total_tokens || byName(a, b);
