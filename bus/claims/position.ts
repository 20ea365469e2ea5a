/** Stream positions, noted often and compared at each connect: a bus that comes back with less has been rolled back. */
import type { StreamState } from "@nats-io/jetstream";
import { z } from "zod";
import { claimStream } from "./claims.ts";
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";
import { ledgerStream } from "./ledger.ts";
import { eventStream, requestStream } from "../jetstream/streams.ts";

export const BusPosition = z.record(z.string(), z.number().int().nonnegative());
/** The last sequence number of each stream, and the bytes that the server reports as discarded. */
export type BusPosition = z.infer<typeof BusPosition>;

/** Streams whose loss is detected and repaired. Leases need no repair: their holders renew them. */
export const guardedStreams = [requestStream, eventStream, claimStream, ledgerStream];

const lostOf = (stream: string) => `${stream} lost`;

export async function busPosition(bus: Bus): Promise<BusPosition> {
  const manager = await bus.manager();
  const ofStream = async (stream: string): Promise<[string, number][]> => {
    const state: StreamState & { lost?: { bytes?: number } } = (await onceLed(() => manager.streams.info(stream)))
      .state;
    const lost = state.lost?.bytes ?? 0;
    return [[stream, state.last_seq], ...(lost > 0 ? [[lostOf(stream), lost] as [string, number]] : [])];
  };
  return Object.fromEntries((await Promise.all(guardedStreams.map(ofStream))).flat());
}

/**
 * Streams that have lost acknowledged messages: their last sequence number is lower than before, or the server itself
 * reports a loss, because at its start it found a broken record and cut off everything behind that.
 */
export function rollbacksBetween(before: BusPosition, now: BusPosition): string[] {
  const of = (position: BusPosition, key: string) => position[key] ?? 0;
  return guardedStreams.filter(
    (stream) => of(now, stream) < of(before, stream) || of(now, lostOf(stream)) > of(before, lostOf(stream)),
  );
}
