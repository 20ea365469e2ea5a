/** What a stream has at this moment, from its begin on. */
import { DeliverPolicy, JetStreamApiError, type JsMsg, type StoredMsg } from "@nats-io/jetstream";
import type { Bus } from "./connect.ts";
import { mayPass, onceLed } from "./leader.ts";

/** Asked for at once. */
const batch = 512;

/** The least that the client takes. So long it waits where a message can't be read, or was just taken away. */
const expires = 1000;

/** So often a server may bring nothing of what it has: it is busy. */
const mostEmpty = 30;

/** Yields each message that can be read. At one whose record is broken a server may stop for good, or pass over it. */
export async function* storedMessages(bus: Bus, stream: string, filter?: string): AsyncGenerator<JsMsg> {
  // Not as many as the server counts as pending: while others publish, nats-server 2.9 counts too few.
  const last = await lastNumber(bus, stream, filter);
  for (let at = 0, empty = 0; at < last; ) {
    const before = at;
    for await (const message of messagesFrom(bus, stream, at + 1, filter)) {
      at = message.seq;
      if (at <= last) yield message;
      if (at >= last) return;
    }
    empty = at > before ? 0 : empty + 1;
    if (empty > mostEmpty) throw new Error(`${stream} has more behind ${at}, and doesn't deliver it`);
    // Throws when the bus is away, rather than asking for ever.
    const next = await nextReadable(bus, stream, at, last, filter);
    if (next === null) return;
    at = next - 1;
  }
}

/** Until nothing comes any more. */
async function* messagesFrom(
  bus: Bus,
  stream: string,
  from: number,
  filter: string | undefined,
): AsyncGenerator<JsMsg> {
  const consumer = await onceLed(() =>
    bus.js.consumers.get(stream, {
      ...(filter === undefined ? {} : { filter_subjects: filter }),
      ...(from === 1 ? {} : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: from }),
    }),
  );
  try {
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for await (const message of await consumer.fetch({ max_messages: batch, expires })) {
        hasMore = true;
        yield message;
      }
    }
  } finally {
    await consumer.delete().catch(() => {}); // it would lapse by itself
  }
}

/** The number of the last message; 0: there is none. */
async function lastNumber(bus: Bus, stream: string, filter?: string): Promise<number> {
  const { streams } = await bus.manager();
  const last = async () => (await onceLed(() => streams.info(stream))).state.last_seq;
  if (filter === undefined) return last();
  try {
    return (await onceLed(() => streams.getMessage(stream, { last_by_subj: filter })))?.seq ?? 0;
  } catch {
    return last(); // that one's record is broken
  }
}

/** The next message behind a number that can be read, up to the last. Null: there is none. */
async function nextReadable(bus: Bus, stream: string, at: number, last: number, filter = ">"): Promise<number | null> {
  if ((await lastNumber(bus, stream, filter)) <= at) return null; // it was taken away
  const { streams } = await bus.manager();
  const get = (query: { seq: number; next_by_subj?: string }): Promise<StoredMsg | null> =>
    onceLed(() => streams.getMessage(stream, query)).catch((error: unknown) => {
      if (error instanceof JetStreamApiError && !mayPass(error)) return null; // its record is broken
      throw error;
    });
  // A broken record on the way looks as if there were none. Only number by number it is found, and what is behind it.
  for (let number = at; number < last; number++) {
    const next = await get({ seq: number + 1, next_by_subj: filter });
    if (next) return next.seq <= last ? next.seq : null;
    while (number + 1 < last && (await get({ seq: number + 1 }))) number++;
  }
  return null;
}
