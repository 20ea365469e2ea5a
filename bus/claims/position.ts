/** How far the streams have come: whether a bus is still the one that it was. */
import type { StreamState } from "@nats-io/jetstream";
import { z } from "zod";
import { claimStream } from "./claims.ts";
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";
import { ledgerStream } from "./ledger.ts";
import { eventStream, requestStream } from "../jetstream/streams.ts";

export const BusPosition = z.record(z.string(), z.number().int().nonnegative());
/** Of each stream the last sequence number; and, while the server says so, how many bytes it has thrown away. */
export type BusPosition = z.infer<typeof BusPosition>;

/** What would be missed. Who holds a lease says so again by itself. */
export const watched = [requestStream, eventStream, claimStream, ledgerStream];

const lostOf = (stream: string) => `${stream} lost`;

export async function busPosition(bus: Bus): Promise<BusPosition> {
  const manager = await bus.manager();
  const ofStream = async (stream: string): Promise<[string, number][]> => {
    const state: StreamState & { lost?: { bytes?: number } } = (await onceLed(() => manager.streams.info(stream)))
      .state;
    const lost = state.lost?.bytes ?? 0;
    return [[stream, state.last_seq], ...(lost > 0 ? [[lostOf(stream), lost] as [string, number]] : [])];
  };
  return Object.fromEntries((await Promise.all(watched.map(ofStream))).flat());
}

/**
 * The streams whose server has lost what it had acknowledged: they have come less far than before, or it says so itself,
 * since it found a broken record when it started, and cut off all that stood behind it.
 */
export function regressed(before: BusPosition, now: BusPosition): string[] {
  const of = (position: BusPosition, key: string) => position[key] ?? 0;
  return watched.filter(
    (stream) => of(now, stream) < of(before, stream) || of(now, lostOf(stream)) > of(before, lostOf(stream)),
  );
}
