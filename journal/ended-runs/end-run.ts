/** Ends a run that nobody carries on, in its file alone: its last line says why, and the file gets its final name. */
import type { EventBody } from "../../protocol/runs/event.ts";
import { isTerminal, type AgentEvent } from "../../protocol/runs/event.ts";
import { RunLog } from "../runs/run-log.ts";

/** For a run in progress whose file has no other writer. One that has its last line only gets its name. */
export async function endRun(journal: string, agentId: string, last: EventBody): Promise<void> {
  let isOver = false;
  const log = await RunLog.resume(journal, agentId, "safe", (event) => {
    isOver ||= isTerminal(event);
  });
  if (!isOver) {
    const { event, ...rest } = last;
    const prev = log.head === null ? {} : { prev: log.head };
    const line: AgentEvent = {
      event,
      ts: Math.max(log.lastTs, Date.now()),
      agent_id: agentId,
      seq: log.nextSeq,
      ...prev,
      ...rest,
    };
    await log.append([JSON.stringify(line)], true);
  }
  await log.close();
}
