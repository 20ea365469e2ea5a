/** What a stream has at this moment, from its begin on. */
import { type Consumer, DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Bus } from "../connection/connect.ts";
import { onceLed } from "../connection/leader.ts";

/** Asked for at once. */
const batch = 512;

/** Yields each message that can be read: one whose record is broken is passed over by the server, which counts it all the same. */
export async function* storedMessages(bus: Bus, stream: string, filter = ">"): AsyncGenerator<JsMsg> {
  const { streams } = await bus.manager();
  const { last_seq } = (await onceLed(() => streams.info(stream))).state;
  // nats-server 2.9 may count too few while others publish: only when nothing stands behind the last one was it the last.
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
    next = await placeBehind(bus, stream, position, filter);
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

/** Where the next message of these subjects stands, or null. */
async function placeBehind(bus: Bus, stream: string, position: number, filter: string): Promise<number | null> {
  const { streams } = await bus.manager();
  const query = { seq: position + 1, next_by_subj: filter };
  return (await onceLed(() => streams.getMessage(stream, query)))?.seq ?? null;
}
