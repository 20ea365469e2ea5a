/** Requests a run, and follows it to its terminal event, whatever goes away meanwhile. */
import { setTimeout as delay } from "node:timers/promises";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Bus } from "../connection/connect.ts";
import type { FileOf } from "../events/run-feed.ts";
import { askAgain } from "./ask-again.ts";
import { ask } from "./client.ts";

/** Grace of a run's process after its terminal event, in ms: from docs/contract.md, and a little more. */
const leaveMs = 30_000;
const lookMs = 10;
/** Interval of the checks whether a run is still wanted, in ms. */
const againMs = 200;

/** The runs' files, as the caller's journal has them. */
export type FollowedFiles = {
  fileOf: FileOf;
  /** Whether a run's file is closed: nothing is written to it any more. */
  isClosed: (agentId: string) => boolean;
};

export type RunToFollow = {
  bus: Bus;
  files: FollowedFiles;
  request: Request;
  /** Whether the run was stopped: then it isn't requested again. */
  isUnwanted: () => boolean;
  onProblem: (error: unknown) => void;
  /** Called for what stands in no file, such as `text_delta`, as it is heard. */
  onPiece?: (event: AgentEvent) => void;
};

/**
 * The request may have been sent before: cortex accepts the same one once.
 * @param onEvent called once for each event of the run's file, in order
 * @returns its terminal event
 * @throws RejectedError for a request that can't become a run, or that was refused for too long
 */
export async function followRun(
  { bus, files, request, isUnwanted, onProblem, onPiece }: RunToFollow,
  onEvent: (event: AgentEvent) => Promise<void>,
): Promise<AgentEvent> {
  let lastSeq = 0;
  let refusals = 0;
  for (;;) {
    try {
      const { events, result } = await ask(bus, request, { fileOf: files.fileOf });
      for await (const event of events) {
        // What stands in no file has no number.
        if (event.seq === undefined) onPiece?.(event);
        if (!(event.seq > lastSeq)) continue;
        lastSeq = event.seq;
        await onEvent(event);
      }
      const last = await result;
      await fileClosed(files, last.agent_id);
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
async function fileClosed({ isClosed }: FollowedFiles, agentId: string): Promise<void> {
  for (const end = performance.now() + leaveMs; performance.now() < end; await delay(lookMs))
    if (isClosed(agentId)) return;
}
