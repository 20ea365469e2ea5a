/** A cluster that has lost a server chooses new leaders, for some seconds; until then it answers with errors, or not at all. */
import { setTimeout as delay } from "node:timers/promises";
import { JetStreamApiError } from "@nats-io/jetstream";
import { errors } from "@nats-io/transport-node";

/** Up to 10 s: twice as long as elections were measured to take. */
const electionMs = 20_000;
const againMs = 200;

/** "Maximum messages exceeded" and its like: whoever asks is to hear it at once. */
const streamFull = 10077;

/** Insufficient resources, no leader, not enough servers yet, no suitable peers, a message id that is being stored. */
const passingCodes = [10008, 10009, 10005, 10023, 10074, 10158, 10201];

/** Whether a stream refuses what is to be stored because it has come to its limits. */
export const isFull = ({ code }: JetStreamApiError) => code === streamFull;

/** Whether it may answer in a while. */
export function mayPass(error: unknown): boolean {
  if (error instanceof JetStreamApiError)
    return !isFull(error) && (error.status === 503 || passingCodes.includes(error.code));
  if (error instanceof errors.TimeoutError || error instanceof errors.NoRespondersError) return true;
  // What the client says where no leader answers; it keeps the class to itself.
  return error instanceof Error && error.name === "JetStreamNotEnabled";
}

/**
 * Asks again while no leader answers. What is asked must be safe to repeat.
 * @throws the last error, after twice the time that an election takes
 */
export async function onceLed<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + electionMs; ; await delay(againMs)) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error) || performance.now() > end) throw error;
    }
  }
}
