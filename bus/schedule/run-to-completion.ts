/** Runs a request to completion, once: repeats it under the same id until cortex has accepted it, then waits for its terminal event. */
import { type AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import { Status, subjects } from "../../protocol/runs/subjects.ts";
import { ask, NoCortexError } from "../runs/client.ts";
import type { Bus } from "../connection/connect.ts";
import { tryParseOwnJson } from "../../protocol/json/parse-json.ts";
import type { FileOf, RunFile } from "../events/run-feed.ts";

export type CompletionOptions = {
  fileOf: FileOf;
  /** Seconds after which the run is cancelled as overdue, by cortex's own count: time in the queue doesn't count. */
  longestSeconds: number;
  /** Called each time that no cortex has accepted the request; an exception ends the wait. */
  onNobody: () => void;
  signal: AbortSignal;
};

/**
 * Resolves with the run's terminal event, or with `overdue` once it has been cancelled for its length.
 * @param request with its id: when several callers ask for the same request, one run starts
 * @throws RejectedError; the signal's reason; Error when the bus doesn't answer
 */
export async function runToCompletion(
  bus: Bus,
  request: Request,
  { fileOf, longestSeconds, onNobody, signal }: CompletionOptions,
): Promise<AgentEvent | "overdue"> {
  const agentId = String(request.ts);
  for (;;) {
    signal.throwIfAborted();
    const terminal = await terminalEventIn(fileOf(agentId));
    if (terminal) return terminal;
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

/** The terminal event in the run's file; null where there is none, or the file can't be read. */
async function terminalEventIn(file: RunFile): Promise<AgentEvent | null> {
  try {
    for await (const event of file.events(1)) if (isTerminal(event)) return event;
  } catch {
    // The bus may have it.
  }
  return null;
}

/** The last event. Reads to the end, so that no events pile up in memory. */
async function lastOf(events: AsyncIterable<AgentEvent>): Promise<AgentEvent> {
  let last: AgentEvent | undefined;
  for await (const event of events) last = event;
  if (last) return last;
  throw new Error("the run said nothing to its end");
}

/** Resolves once the run is overdue, and cancels it. Cortex enforces limits itself; this is for one that fails to. */
function whenOverdue(bus: Bus, agentId: string, longestSeconds: number): Disposable & { promise: Promise<"overdue"> } {
  let resolve: (value: "overdue") => void = () => {};
  const promise = new Promise<"overdue">((done) => {
    resolve = done;
  });
  const subscription = bus.connection.subscribe(subjects.status, {
    callback: (_, message) => {
      const status = Status.safeParse(tryParseOwnJson(message.string()));
      const run = status.data?.running.find((running) => running.agent_id === agentId);
      if (!run || run.elapsed_seconds <= longestSeconds) return;
      bus.connection.publish(subjects.cancel(agentId), "{}");
      resolve("overdue");
    },
  });
  return { promise, [Symbol.dispose]: () => subscription.unsubscribe() };
}

/** Rejects on abort; disposing removes the listener from the signal, which outlives many runs. */
function whenAborted(signal: AbortSignal): Disposable & { promise: Promise<never> } {
  let abort = () => {};
  const promise = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
  });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return { promise, [Symbol.dispose]: () => signal.removeEventListener("abort", abort) };
}
