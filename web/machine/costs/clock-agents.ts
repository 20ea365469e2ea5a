/** Long-lived agents that clocks wake: what they and their tasks have cost today, against what the settings allow. */
import { listAgents, readDescriptor, readState } from "../../../journal/agents/agent-files.ts";
import { dayOf } from "../../../protocol/names/day.ts";
import type { AgentsSettings } from "../../../protocol/agents/agents-settings.ts";
import type { Counted } from "./limits.ts";

type Clocks = Pick<AgentsSettings, "heartbeat" | "cron">;

export function clockLimits(
  journal: string,
  { heartbeat, cron = {} }: Clocks,
  now: number,
  timeZone: string,
): Counted[] {
  const most = new Map(Object.entries(cron).map(([uid, { max_cost_usd_per_day: usd }]) => [`cron ${uid}`, usd]));
  if (heartbeat) most.set("heartbeat", heartbeat.max_cost_usd_per_day);
  if (most.size === 0) return [];
  const spent = spentByClock(journal, dayOf(now, timeZone));
  return [...most].map(([name, max_cost_usd]) => {
    const { usd = 0, tokens = 0 } = spent.get(name) ?? {};
    return { scope: "agents", name, limits: { max_cost_usd }, usd, tokens };
  });
}

type Spent = { usd: number; tokens: number };

function spentByClock(journal: string, today: string): Map<string, Spent> {
  const agents = new Map(listAgents(journal).flatMap((id) => read(() => [id, readDescriptor(journal, id)] as const)));
  const sums = new Map<string, Spent>();
  for (const id of agents.keys()) {
    const clock = clockOf(agents, id);
    const [state] = clock === null ? [] : read(() => readState(journal, id));
    if (clock === null || state?.spent?.day !== today) continue;
    const { usd, tokens } = sums.get(clock) ?? { usd: 0, tokens: 0 };
    sums.set(clock, { usd: usd + state.spent.usd, tokens: tokens + (state.spent.tokens ?? 0) });
  }
  return sums;
}

type Descriptors = ReadonlyMap<string, ReturnType<typeof readDescriptor>>;

/** The clock that wakes an agent, or the agent whose task it is; null: none does. */
function clockOf(agents: Descriptors, id: string): string | null {
  const walked = new Set<string>();
  for (let at = agents.get(id); at && !walked.has(at.id); at = agents.get(at.parent ?? "")) {
    walked.add(at.id);
    if (at.kind === "heartbeat") return "heartbeat";
    if (at.kind === "cron") return `cron ${at.name ?? ""}`;
  }
  return null;
}

/** Reads a document; one that can't be read counts for nothing here: the agents' service says so. */
function read<T>(ask: () => T): T[] {
  try {
    return [ask()];
  } catch {
    return [];
  }
}
