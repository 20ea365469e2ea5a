/** Requests the run of a turn, and follows it to its terminal event, whatever goes away meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import { askAgain } from "../../bus/runs/ask-again.ts";
import { ask } from "../../bus/runs/client.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request.ts";

/** Grace of a run's process after its terminal event, in ms: from docs/contract.md, and a little more. */
const leaveMs = 30_000;
const lookMs = 10;
/** Interval of the checks whether a run is still wanted, in ms. */
const againMs = 200;

export type RunToFollow = {
  journal: string;
  bus: Bus;
  request: Request;
  /** Whether the run was stopped: then it isn't requested again. */
  isUnwanted: () => boolean;
  onProblem: (error: unknown) => void;
};

/**
 * The request may have been sent before: cortex accepts the same one once.
 * @param onEvent called once for each event of the run's file, in order
 * @returns its terminal event
 * @throws RejectedError for a request that can't become a run, or that was refused for too long
 */
export async function followRun(
  { journal, bus, request, isUnwanted, onProblem }: RunToFollow,
  onEvent: (event: AgentEvent) => Promise<void>,
): Promise<AgentEvent> {
  const fileOf = (agentId: string) => new RunReader(journal, agentId);
  let lastSeq = 0;
  let refusals = 0;
  for (;;) {
    try {
      const { events, result } = await ask(bus, request, { fileOf });
      for await (const event of events) {
        if (!(event.seq > lastSeq)) continue; // what stands in no file has no number
        lastSeq = event.seq;
        await onEvent(event);
      }
      const last = await result;
      await fileClosed(journal, last.agent_id);
      return last;
    } catch (error) {
      if (bus.connection.isClosed()) throw error;
      const again = askAgain(error, refusals, isUnwanted());
      if (again === null) throw error;
      if (again.isRefusal) refusals++;
      onProblem(error);
      await pause(again.afterMs, isUnwanted);
    }
  }
}

/** Waits for so long, or until the run is unwanted. */
async function pause(ms: number, isUnwanted: () => boolean): Promise<void> {
  const wasUnwanted = isUnwanted();
  for (const end = performance.now() + ms; performance.now() < end && isUnwanted() === wasUnwanted; )
    await delay(Math.min(againMs, ms));
}

/** Waits until a run's file is closed: nothing can continue from it before. A request that became no run has none. */
async function fileClosed(journal: string, agentId: string): Promise<void> {
  for (const end = performance.now() + leaveMs; performance.now() < end; await delay(lookMs))
    if (runState(journal, agentId) === "ended") return;
}
