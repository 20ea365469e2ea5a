/** The new begin of a conversation: first in its history, then in its state. */
import { newConversation } from "./accounts.ts";
import type { AgentRecord } from "./agent-record.ts";

/** Begins a conversation anew; its history keeps the old one. Resolves with the id of its begin. */
export async function beginAnew(agent: AgentRecord, reason: string): Promise<number> {
  const ts = agent.deps.nextRunId();
  await agent.history.append({ type: "reset", ts, id: `reset-${ts}`, reason });
  await agent.update({
    last_run: undefined,
    conversation: ts,
    context_tokens: 0,
    has_memory_index: false,
    summing: undefined,
    ...newConversation(agent),
  });
  return ts;
}
