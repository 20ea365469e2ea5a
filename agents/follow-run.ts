/** Asks cortex for the run of a turn, and hears it to its last word, whatever goes away meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import { ask, RejectedError } from "../bus/client.ts";
import type { Bus } from "../bus/connect.ts";
import { readRun } from "../journal/read-run.ts";
import { runState } from "../journal/run-files.ts";
import type { AgentEvent } from "../protocol/event.ts";
import type { Request } from "../protocol/request.ts";

/** How long it waits until it asks again a cortex that has too much to do, or a bus that doesn't answer. */
const againMs = 1000;

/** Its last word said, a run's process has so long to leave: from the contract, and a little more. In ms. */
const leaveMs = 30_000;
const lookMs = 10;

export type RunToFollow = { journal: string; bus: Bus; request: Request; onProblem: (error: unknown) => void };

/**
 * The request may have been sent before: cortex takes the same one once.
 * @param onEvent hears each event of the run's file once, in order
 * @returns its last word
 * @throws RejectedError for a request that can't become a run
 */
export async function followRun(
  { journal, bus, request, onProblem }: RunToFollow,
  onEvent: (event: AgentEvent) => Promise<void>,
): Promise<AgentEvent> {
  const readEvents = (agentId: string) => readRun(journal, agentId)?.events ?? [];
  let heard = 0;
  for (;;) {
    try {
      const { events, result } = await ask(bus, request, { readEvents });
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
      if (error instanceof RejectedError && error.reason !== "overloaded") throw error;
      onProblem(error);
      await delay(againMs);
    }
  }
}

/** Waits until a run's file is closed: nobody can go on from it before. Of a request that became no run there is none. */
async function closed(journal: string, agentId: string): Promise<void> {
  for (const end = performance.now() + leaveMs; performance.now() < end; await delay(lookMs))
    if (runState(journal, agentId) === "ended") return;
}
