/** Stamps an event: whose it is, when it was, and the line of the file that it becomes. Pure. */
import type { AgentEvent, EventBody } from "../protocol/event.ts";

/** How far an agent's clock may run ahead of ours before its time is no longer taken. */
const aheadMs = 60_000;

/** A time that an agent gives is kept when it lies within the run. What it says of `agent_id` and `seq` never counts. */
export function stamp(body: EventBody, agentId: string, seq: number, now: number): AgentEvent {
  const { event, ts, agent_id: _, seq: __, ...rest } = body;
  return { event, ts: isSane(ts, agentId, now) ? ts : now, agent_id: agentId, seq, ...rest };
}

function isSane(ts: unknown, agentId: string, now: number): ts is number {
  return Number.isInteger(ts) && (ts as number) >= Number(agentId) - aheadMs && (ts as number) <= now + aheadMs;
}
