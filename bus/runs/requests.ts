/** Requests as they were stored, one after the other, for whoever takes them. */
import { type JetStreamPublishOptions, type JsMsg, type PubAck } from "@nats-io/jetstream";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { Request } from "../../protocol/runs/request/request.ts";
import { replyHeader, replyPattern, subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { acknowledge, askAgain, durableMessages } from "../jetstream/durable-consumer.ts";
import { deleteMessage } from "../jetstream/delete-message.ts";
import { onceLed } from "../connection/leader.ts";
import { storedMessages } from "../jetstream/stored-messages.ts";
import { requestStream } from "../jetstream/streams.ts";

/** The durable consumer that all workers share. */
const consumerName = "cortex";

export type RequestDelivery = {
  data: Uint8Array;
  /** The message's number in the stream: the same at each delivery. */
  streamSeq: number;
  /** Whether it was delivered before, and not acknowledged. */
  isAgain: boolean;
  /** An inbox that wants to hear a refusal, if one was named. */
  replyTo: string | null;
  /** Says that it is recorded. Resolves when the bus knows. */
  ack: () => Promise<void>;
  /** Asks for it again, later each time. */
  again: () => void;
};

/** Yields each stored request that nobody has recorded yet, until `signal`. */
export async function* storedRequests(bus: Bus, signal: AbortSignal): AsyncGenerator<RequestDelivery> {
  for await (const message of durableMessages(bus, requestStream, consumerName, signal)) yield toDelivery(message);
}

/**
 * Yields every request that the stream still has, recorded or not, for whoever has to record them again. To say that it is
 * recorded, or not, is of no consequence.
 */
export async function* everyStoredRequest(bus: Bus): AsyncGenerator<RequestDelivery> {
  for await (const message of storedMessages(bus, requestStream))
    yield { ...toDelivery(message), replyTo: null, ack: async () => {}, again: () => {} };
}

function toDelivery(message: JsMsg): RequestDelivery {
  const reply = message.headers?.get(replyHeader) ?? "";
  return {
    data: message.data,
    streamSeq: message.info.streamSequence,
    isAgain: message.redelivered,
    // Only an inbox: otherwise a client could have us speak on a subject that it may not use itself.
    replyTo: replyPattern.test(reply) ? reply : null,
    ack: () => acknowledge(message),
    again: () => askAgain(message),
  };
}

/** A stored request by its number, or null when it has aged out. */
export async function storedRequest(bus: Bus, streamSeq: number): Promise<Uint8Array | null> {
  const manager = await bus.manager();
  const message = await manager.streams.getMessage(requestStream, { seq: streamSeq });
  return message?.data ?? null;
}

/** Whether the stream has come to half of what it may hold. Full, it takes nothing new until the oldest are a month old. */
export async function isCrowded(bus: Bus): Promise<boolean> {
  const { config, state } = await (await bus.manager()).streams.info(requestStream);
  return state.messages > config.max_msgs / 2 || state.bytes > config.max_bytes / 2;
}

/**
 * Erases a stored request that isn't needed any more, on the disk too: it may hold secrets. One that is gone is no error.
 * @param isIt whether it is the one that is meant: a stream that was cut off uses its places again
 * @throws Error when the bus doesn't answer: then it has to be tried again
 */
export async function eraseRequest(
  bus: Bus,
  streamSeq: number,
  isIt: (data: Uint8Array) => boolean | Promise<boolean>,
): Promise<void> {
  const data = await storedRequest(bus, streamSeq);
  if (data === null || !(await isIt(data))) return;
  await deleteMessage(bus, requestStream, streamSeq, true);
}

/** Erases what was delivered. @throws Error when the bus doesn't answer: then it has to be tried again */
export function eraseDelivery(bus: Bus, { streamSeq, data }: RequestDelivery): Promise<void> {
  return eraseRequest(bus, streamSeq, (stored) => Buffer.compare(stored, data) === 0);
}

/**
 * Publishes a request and waits until it is stored.
 * @returns its place in the stream
 * @throws the last error, when the bus doesn't answer
 */
export async function publishRequest(bus: Bus, request: Request, hash: string, replyTo?: string): Promise<number> {
  const msgID = `${request.ts}:${hash}`;
  const message = JSON.stringify(request);
  if (replyTo === undefined) return (await store(bus, message, { msgID })).seq;
  const options = { headers: replyHeaders(replyTo) };
  const { duplicate, seq } = await store(bus, message, { ...options, msgID });
  // Stored before, so no cortex sees it now. Whoever waits for an answer asks under a name of its own: it starts nothing.
  if (duplicate) await store(bus, message, { ...options, msgID: `${msgID}:${replyTo}` });
  return seq;
}

async function store(bus: Bus, message: string, options: Partial<JetStreamPublishOptions>): Promise<PubAck> {
  // The message id makes it once, however often it is sent.
  return onceLed(() => bus.js.publish(subjects.request, message, { ...options, timeout: 1000 }));
}

function replyHeaders(replyTo: string): MsgHdrs {
  const head = headers();
  head.set(replyHeader, replyTo);
  return head;
}
