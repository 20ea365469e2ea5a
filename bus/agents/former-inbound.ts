/**
 * The one stream that all channels shared before each had its own. What nobody has taken out of it yet still goes to the agents'
 * service, and the ids that it knows stay known; then it goes.
 */
import { DeliverPolicy, JetStreamApiError, type StreamInfo } from "@nats-io/jetstream";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { dropStream } from "../jetstream/drop-stream.ts";
import { type InboundDelivery, storedInbound } from "./inbound.ts";
import { onceLed } from "../connection/leader.ts";
import { keptMs, noteTaken } from "./taken-ids.ts";

export const formerStream = "CORTEX_INBOUND";
const consumerName = "agents";
/** Messages looked at together, by their headers alone. */
const batch = 512;
/** No message of the streams that follow has this place. */
export const noPlace = 0;

/** Takes its subjects from the former stream, so that others may have them. Whether there is one. */
export async function retireFormerInbound(bus: Bus): Promise<boolean> {
  const info = await formerInfo(bus);
  if (!info) return false;
  const { streams } = await bus.manager();
  const retired = [subjects.formerInbound];
  await onceLed(() => streams.update(formerStream, { ...info.config, subjects: retired }));
  return true;
}

async function formerInfo(bus: Bus): Promise<StreamInfo | null> {
  const { streams } = await bus.manager();
  try {
    return await onceLed(() => streams.info(formerStream));
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return null;
    throw error;
  }
}

/** Yields what nobody has taken out of the former stream, and then drops it. Killed anywhere, it begins again. */
export async function* formerInbound(bus: Bus, signal: AbortSignal): AsyncGenerator<InboundDelivery> {
  if (!(await formerInfo(bus))) return;
  await noteIds(bus);
  const until = new AbortController();
  const deliveries = storedInbound(bus, formerStream, AbortSignal.any([signal, until.signal]));
  try {
    while (await isAnythingLeft(bus)) {
      const next = await deliveries.next();
      if (next.done || signal.aborted) return;
      yield next.value;
    }
  } finally {
    until.abort();
  }
  await dropStream(bus, formerStream);
}

/** Notes which ids the stream has, as long as it would have known them. */
async function noteIds(bus: Bus): Promise<void> {
  const consumer = await onceLed(() =>
    bus.js.consumers.get(formerStream, {
      deliver_policy: DeliverPolicy.StartTime,
      opt_start_time: new Date(Date.now() - keptMs).toISOString(),
      headers_only: true,
    }),
  );
  let left = (await consumer.info()).num_pending;
  while (left > 0) {
    for await (const { headers } of await consumer.fetch({ max_messages: Math.min(left, batch), expires: 2000 })) {
      left--;
      const [, type, id] = /^([a-z][a-z0-9-]*):([A-Za-z0-9_-]{1,128})$/.exec(headers?.get("Nats-Msg-Id") ?? "") ?? [];
      if (type !== undefined && id !== undefined) await noteTaken(bus, type, id, noPlace);
    }
    left = Math.min(left, (await consumer.info()).num_pending);
  }
}

async function isAnythingLeft(bus: Bus): Promise<boolean> {
  const { consumers } = await bus.manager();
  try {
    const { num_pending, num_ack_pending } = await onceLed(() => consumers.info(formerStream, consumerName));
    return num_pending + num_ack_pending > 0;
  } catch (error) {
    // Nobody has read it yet: then all of it is left.
    if (!(error instanceof JetStreamApiError && error.status === 404)) throw error;
    return ((await formerInfo(bus))?.state.messages ?? 0) > 0;
  }
}
