/** Stamps an event: whose it is, when it was, and the line of the file that it becomes. Pure. */
import type { AgentEvent, EventBody } from "../../protocol/runs/event.ts";

/** How far an agent's clock may run ahead of ours before its time is no longer taken. */
const aheadMs = 60_000;

/**
 * A time that an agent gives is kept when it lies within the run. What it says of `agent_id`, `seq` and `prev` never counts.
 * @param prev the hash of the line before; null for what has none, which is then left as it came
 * @param after the time of the line before: times in a file never go back, also where the agent's clock runs ahead of ours,
 * or ours was set back
 */
export function stamp(
  body: EventBody,
  agentId: string,
  seq: number,
  now: number,
  prev: string | null = null,
  after = 0,
): AgentEvent {
  // A key `__proto__` would be lost when the line is read and published again: it must say the same, byte for byte.
  const { event, ts, agent_id: _, seq: __, prev: own, ["__proto__"]: ___, ...rest } = body;
  const link = prev ?? own;
  return {
    event,
    ts: Math.max(after, isSane(ts, agentId, now) ? ts : now),
    agent_id: agentId,
    seq,
    ...(link === undefined ? {} : { prev: link }),
    ...rest,
  };
}

function isSane(ts: unknown, agentId: string, now: number): ts is number {
  return Number.isInteger(ts) && (ts as number) >= Number(agentId) - aheadMs && (ts as number) <= now + aheadMs;
}
