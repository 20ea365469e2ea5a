/**
 * State that the program keeps from one start to the next: how far it has read, what was open there, the totals by then, and the bodies that
 * are to be sent. It is one document, replaced as a whole: a body stands in it before it is sent, together with the position behind the
 * events that it tells of, and goes when its answer is there. So whenever the program is killed, the next one sends the same bytes or
 * none, and reads on behind them.
 */
import { z } from "zod";
import { KeptTotals } from "../metrics/totals.ts";
import { MapperState, newMapperState } from "../spans/mapper-state.ts";

/** A request to the receiver that has no answer yet. */
export const Outgoing = z.object({
  path: z.enum(["v1/traces", "v1/metrics"]),
  body: z.string(),
  /** Whether what people and models say stands in it. */
  content: z.boolean(),
});
export type Outgoing = z.infer<typeof Outgoing>;

export const KeptTelemetry = z.object({
  version: z.literal(1),
  /** Which stream of events, and its last message that was read. */
  stream: z.string(),
  position: z.number().int().nonnegative(),
  mapper: MapperState,
  totals: KeptTotals,
  outgoing: z.array(Outgoing),
});
export type KeptTelemetry = z.infer<typeof KeptTelemetry>;

/** The state of a journal of which nothing was sent yet. @param now in ms */
export const newTelemetry = (instance: string, now: number): KeptTelemetry => ({
  version: 1,
  stream: "",
  position: 0,
  mapper: newMapperState(instance),
  totals: { since: now, series: [] },
  outgoing: [],
});

/** The state of a journal of which something was sent, nobody knows any more what: nothing older than now is told. */
export function newAfterLoss(instance: string, now: number): KeptTelemetry {
  const kept = newTelemetry(instance, now);
  return { ...kept, mapper: { ...kept.mapper, newest: now, read_before: now } };
}

/**
 * Goes to the place in a stream from which to read on. Another stream, or one that has become shorter, was lost and filled again from
 * the runs' files: it is read from its begin, and events that were there before begin no run.
 * @param now in ms
 */
export function moveToStream(
  kept: KeptTelemetry,
  { stream, last }: { stream: string; last: number },
  now: number,
): void {
  const isSame = kept.stream === stream && kept.position <= last;
  if (!isSame) {
    kept.position = 0;
    // No clock that once was ahead keeps the runs of from now on from being told of.
    kept.mapper.read_before = Math.min(kept.mapper.newest, now);
  }
  kept.stream = stream;
}
