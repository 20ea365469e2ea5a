/** What a stream has at this moment, from its begin on. */
import type { JsMsg } from "@nats-io/jetstream";
import type { Bus } from "./connect.ts";
import { onceLed } from "./leader.ts";

/** Asked for at once. */
const batch = 512;

/** Yields each message that can be read: one whose record is broken is passed over by the server, which counts it all the same. */
export async function* storedMessages(bus: Bus, stream: string, filter?: string): AsyncGenerator<JsMsg> {
  const options = filter === undefined ? {} : { filter_subjects: filter };
  const consumer = await onceLed(() => bus.js.consumers.get(stream, options));
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
