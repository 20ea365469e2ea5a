/** Sees a run through that must happen once: asks for it again under the same id until it has been taken, and waits for its last word. */
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request.ts";
import { Status, subjects } from "../../protocol/runs/subjects.ts";
import { ask, NoCortexError } from "../runs/client.ts";
import type { Bus } from "../connection/connect.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import type { FileOf, RunFile } from "../events/run-feed.ts";

export type SeeThroughOptions = {
  fileOf: FileOf;
  /** How long cortex may let it run, in seconds, before it is given up: cortex's own count, so waiting doesn't cost. */
  longestSeconds: number;
  /** Called each time that nobody has taken the request; what it throws ends the waiting. */
  onNobody: () => void;
  signal: AbortSignal;
};

/**
 * Resolves with the run's last word, or with `overdue`: it was cancelled then.
 * @param request with its id; the same request asked for by several starts one run
 * @throws RejectedError; the signal's reason; Error when the bus doesn't answer
 */
export async function seeThrough(
  bus: Bus,
  request: Request,
  { fileOf, longestSeconds, onNobody, signal }: SeeThroughOptions,
): Promise<AgentEvent | "overdue"> {
  const agentId = String(request.ts);
  for (;;) {
    signal.throwIfAborted();
    const lastWord = await lastWordIn(fileOf(agentId));
    if (lastWord) return lastWord;
    try {
      const { events } = await ask(bus, request, { fileOf });
      using overdue = whenOverdue(bus, agentId, longestSeconds);
      using stopped = whenAborted(signal);
      return await Promise.race([lastOf(events), overdue.promise, stopped.promise]);
    } catch (error) {
      if (!(error instanceof NoCortexError)) throw error;
      onNobody();
    }
  }
}

/** Null where there is none, or it can't be read. */
async function lastWordIn(file: RunFile): Promise<AgentEvent | null> {
  try {
    for await (const event of file.events(1)) if (isTerminal(event)) return event;
  } catch {
    // The bus may have it.
  }
  return null;
}

/** Read to the end, so that nothing piles up. */
async function lastOf(events: AsyncIterable<AgentEvent>): Promise<AgentEvent> {
  let last: AgentEvent | undefined;
  for await (const event of events) last = event;
  if (last) return last;
  throw new Error("the run said nothing to its end");
}

/** Cortex enforces the limits of runs. One that it lets run on all the same is asked to stop, and no longer waited for. */
function whenOverdue(bus: Bus, agentId: string, longestSeconds: number): Disposable & { promise: Promise<"overdue"> } {
  let resolve: (value: "overdue") => void = () => {};
  const promise = new Promise<"overdue">((done) => {
    resolve = done;
  });
  const subscription = bus.connection.subscribe(subjects.status, {
    callback: (_, message) => {
      const status = Status.safeParse(jsonOf(message.string()));
      const run = status.data?.running.find((running) => running.agent_id === agentId);
      if (!run || run.elapsed_seconds <= longestSeconds) return;
      bus.connection.publish(subjects.cancel(agentId), "{}");
      resolve("overdue");
    },
  });
  return { promise, [Symbol.dispose]: () => subscription.unsubscribe() };
}

/** Lets go of the signal, which outlives many runs. */
function whenAborted(signal: AbortSignal): Disposable & { promise: Promise<never> } {
  let abort = () => {};
  const promise = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return { promise, [Symbol.dispose]: () => signal.removeEventListener("abort", abort) };
}

function jsonOf(text: string): unknown {
  try {
    return parseOwnJson(text);
  } catch {
    return undefined;
  }
}
