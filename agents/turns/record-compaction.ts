/** A summary that a turn's run has made of the conversation becomes the begin of its agent's history. */
import { failpoint } from "../../proc/programs/failpoint.ts";
import type { AgentTurn, HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { modelEvents } from "../../protocol/events/model-events.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { AgentRecord } from "../record/agent-record.ts";
import type { RecordPlace } from "./record-events.ts";

/** The place in a turn's run of the summary with which the history begins; null where it begins with none of that run. */
export function compactionOf({ history }: AgentRecord, { run_id }: Pick<AgentTurn, "run_id">): { seq: number } | null {
  const [first] = history.records;
  if (first?.type !== "compact" || first.run_id !== run_id) return null;
  return { seq: Number(first.id.slice(`${run_id}:`.length)) || 0 };
}

/**
 * Puts what was said so far into the archive, and begins with the summary. An event that isn't one changes nothing, and
 * one that a crash has left half done is done.
 * @param place where its run was then
 * @param unheard the records of inputs that the model hasn't been told
 */
export async function recordCompaction(
  agent: AgentRecord,
  event: AgentEvent,
  place: RecordPlace,
  unheard: readonly HistoryRecord[],
): Promise<void> {
  const { data } = modelEvents.compacted.safeParse(event);
  if (!data) return;
  const { ts, agent_id: run_id, seq } = event;
  const { summary, kept, tokens_before, tokens_after } = data;
  const sizes = {
    ...(tokens_before !== undefined && { tokens_before }),
    ...(tokens_after !== undefined && { tokens_after }),
  };
  const isArchived = compactionOf(agent, { run_id })?.seq === seq;
  if (!isArchived) {
    const record = { type: "compact", ts, id: `${run_id}:${seq}`, run_id, summary, kept, ...place, ...sizes } as const;
    await agent.history.archive((archive) => [{ ...record, archive }, ...unheard], new Date());
  }
  failpoint("history-archived");
  await agent.update({
    has_memory_index: false,
    ...(tokens_after !== undefined && { context_tokens: Math.round(tokens_after) }),
  });
  agent.deps.publishEvent(agent.id, "compacted", { ok: true, ...sizes });
}
