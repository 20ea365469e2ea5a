/** Asks cortex for the run of a turn, and hears it to its last word, whatever goes away meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import { askAgain } from "../../bus/runs/ask-again.ts";
import { ask } from "../../bus/runs/client.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import { RunReader } from "../../journal/runs/read-run.ts";
import { runState } from "../../journal/runs/run-files.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request.ts";

/** Its last word said, a run's process has so long to leave: from docs/contract.md, and a little more. In ms. */
const leaveMs = 30_000;
const lookMs = 10;
/** How often is looked whether a run is still wanted. */
const againMs = 200;

export type RunToFollow = {
  journal: string;
  bus: Bus;
  request: Request;
  /** Whether somebody has stopped it: then it isn't asked for again. */
  isUnwanted: () => boolean;
  onProblem: (error: unknown) => void;
};

/**
 * The request may have been sent before: cortex takes the same one once.
 * @param onEvent hears each event of the run's file once, in order
 * @returns its last word
 * @throws RejectedError for a request that can't become a run, or that was refused for too long
 */
export async function followRun(
  { journal, bus, request, isUnwanted, onProblem }: RunToFollow,
  onEvent: (event: AgentEvent) => Promise<void>,
): Promise<AgentEvent> {
  const fileOf = (agentId: string) => new RunReader(journal, agentId);
  let heard = 0;
  let refusals = 0;
  for (;;) {
    try {
      const { events, result } = await ask(bus, request, { fileOf });
      for await (const event of events) {
        if (!(event.seq > heard)) continue; // what stands in no file has no number
        heard = event.seq;
        await onEvent(event);
      }
      const last = await result;
      await closed(journal, last.agent_id);
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

/** Waits, or until nobody wants the run any more. */
async function pause(ms: number, isUnwanted: () => boolean): Promise<void> {
  const wasUnwanted = isUnwanted();
  for (const end = performance.now() + ms; performance.now() < end && isUnwanted() === wasUnwanted; )
    await delay(Math.min(againMs, ms));
}

/** Waits until a run's file is closed: nobody can go on from it before. Of a request that became no run there is none. */
async function closed(journal: string, agentId: string): Promise<void> {
  for (const end = performance.now() + leaveMs; performance.now() < end; await delay(lookMs))
    if (runState(journal, agentId) === "ended") return;
}
