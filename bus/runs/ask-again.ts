/** Decision whether a run that couldn't be had is asked for once more. Pure. */
import { JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";
import { NoCortexError, RejectedError } from "./client.ts";
import { mayPass } from "../connection/leader.ts";

/** Pauses between two requests of a run that is refused for now: ten minutes together, then whoever waits is told why. In ms. */
const pauses = [1, 1, 2, 4, 8, 15, 30, 60, 60, 60, 60, 60, 60, 60, 60, 60].map((seconds) => seconds * 1000);

/** While cortex or the bus is away nothing is refused: the request waits for them. In ms. */
const awayMs = 1000;

export type RetryPlan = { afterMs: number; isRefusal: boolean };

/**
 * @param refusals how often the run was refused before
 * @param isUnwanted whether somebody has stopped it meanwhile
 * @returns null: it is given up
 */
export function askAgain(error: unknown, refusals: number, isUnwanted: boolean): RetryPlan | null {
  if (isAway(error)) return { afterMs: awayMs, isRefusal: false };
  const isRefusal = error instanceof RejectedError ? error.reason === "overloaded" : error instanceof JetStreamApiError;
  const afterMs = pauses[refusals];
  // What was refused is not a run: to end it, nobody has to be asked.
  return !isRefusal || isUnwanted || afterMs === undefined ? null : { afterMs, isRefusal };
}

/** Whether nobody was there who could have taken the request. */
export function isAway(error: unknown): boolean {
  return (
    error instanceof NoCortexError ||
    error instanceof errors.ConnectionError ||
    error instanceof errors.ClosedConnectionError ||
    error instanceof errors.RequestError ||
    mayPass(error)
  );
}
