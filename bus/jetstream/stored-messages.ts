/** The messages that a stream has at this moment, from its begin on. */
import { type Consumer, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";
import { nats29 } from "../legacy/nats-2-9.ts";

/** Asked for at once. */
const batch = 512;

/** Yields each message that can be read: one whose record is broken is passed over by the server, which counts it all the same. */
export async function* storedMessages(bus: Bus, stream: string, filter = ">"): AsyncGenerator<JsMsg> {
  const { streams } = await bus.manager();
  const { last_seq } = (await onceLed(() => streams.info(stream))).state;
  for (let next: number | null = 1; next !== null && next <= last_seq; ) {
    const from: number = next;
    const consumer = await onceLed(() =>
      bus.js.consumers.get(stream, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: from,
        filter_subjects: filter,
      }),
    );
    let position = from - 1;
    for await (const message of counted(consumer)) {
      position = message.info.streamSequence;
      yield message;
    }
    next = await nats29.nextStored(bus, stream, position, filter);
    if (next === from) throw new Error(`the bus has message ${from} of ${stream} and doesn't deliver it`);
  }
}

/** As many as the server counts, less what it can't read. */
async function* counted(consumer: Consumer): AsyncGenerator<JsMsg> {
  let left = (await consumer.info()).num_pending;
  while (left > 0) {
    const messages = await consumer.fetch({ max_messages: Math.min(left, batch), expires: 2000 });
    for await (const message of messages) {
      left--;
      yield message;
    }
    // Throws when the bus is away, rather than asking for ever.
    left = Math.min(left, (await consumer.info()).num_pending);
  }
}
