/** How far the streams have come: whether a bus is still the one that it was. */
import { onceLed } from "./leader.ts";
import { z } from "zod";
import type { Bus } from "./connect.ts";
import { eventStream, requestStream } from "./streams.ts";

export const BusPosition = z.record(z.string(), z.number().int().nonnegative());
/** The last sequence number of each stream. */
export type BusPosition = z.infer<typeof BusPosition>;

export async function busPosition(bus: Bus): Promise<BusPosition> {
  const manager = await bus.manager();
  const lastOf = async (stream: string) =>
    [stream, (await onceLed(() => manager.streams.info(stream))).state.last_seq] as const;
  return Object.fromEntries(await Promise.all([requestStream, eventStream].map(lastOf)));
}

/** The streams that have come less far than before: their server has lost what it had acknowledged. */
export function regressed(before: BusPosition, now: BusPosition): string[] {
  return Object.keys(before).filter((stream) => (now[stream] ?? 0) < (before[stream] ?? 0));
}
