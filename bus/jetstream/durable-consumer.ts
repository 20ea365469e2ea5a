/**
 * The messages that a stream stores for a service, one after the other, until each is acknowledged: over every death of
 * its reader.
 */
import { AckPolicy, type JsMsg } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";

/** Messages that may be read and not yet acknowledged. */
const usualMaxPending = 256;

/** How many are read ahead: each may be as long as a message can be, 1 MiB. */
const maxAhead = 48;

/**
 * After this long what wasn't acknowledged is delivered again: its reader has died, or was stopped. To take one in takes
 * milliseconds, and to see it twice does no harm.
 */
const ackWaitMs = 5000;

/** Milliseconds for which an item waits that couldn't be taken: the first time, and at most. */
const againMs = 500;
const longestAgainMs = 30_000;

/** Yields each message that nobody has acknowledged yet, until `signal`. All who read by this name share them. */
export async function* durableMessages(
  bus: Bus,
  stream: string,
  name: string,
  signal: AbortSignal,
  maxPending = usualMaxPending,
): AsyncGenerator<JsMsg> {
  const manager = await bus.manager();
  const wanted = {
    durable_name: name,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: maxPending,
  };
  const made = await onceLed(() => manager.consumers.add(stream, wanted));
  bus.configDrift.compare(`${stream} > ${name}`, wanted, made.config);
  const consumer = await onceLed(() => bus.js.consumers.get(stream, name));
  const messages = await consumer.consume({ max_messages: maxAhead, expires: 5000, idle_heartbeat: 1000 });
  // Not waited for: what it promises comes only to those who read on.
  const stop = () => void messages.close();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  try {
    yield* messages;
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** Says that a message is kept. Resolves when the bus knows. One that gets lost brings the message again, and it is known then. */
export async function acknowledge(message: JsMsg): Promise<void> {
  await message.ackAck({ timeout: 2000 });
}

/** Asks for a message again, later each time. */
export function askAgain(message: JsMsg): void {
  message.nak(Math.min(againMs * 2 ** (message.info.deliveryCount - 1), longestAgainMs));
}
