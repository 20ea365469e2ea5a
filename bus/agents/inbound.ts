/**
 * Messages of people on their way into agents. Each type of channel has a stream of its own, so that one that is full shuts no
 * other; a message leaves its stream once the agents' service has it. What an adapter says beside messages, and the clocks'
 * words, share a small stream.
 */
import {
  DiscardPolicy,
  JetStreamApiError,
  type JsMsg,
  type PubAck,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import { clockTypes } from "../../protocol/agents/agents-settings.ts";
import { InboundMessage, PermissionDecision, Receipt } from "../../protocol/agents/channel.ts";
import { issueTexts } from "../../protocol/words/issues.ts";
import { JsonDepthError, parseJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { acknowledge, askAgain, durableMessages } from "../jetstream/durable-consumer.ts";
import { ChannelFullError, checkLength, checkSize } from "./inbound-refusals.ts";
import { isFull, onceLed } from "../connection/leader.ts";
import { ensureStream } from "../jetstream/streams.ts";
import { ensureTakenIds, keptMs, takenAt } from "./taken-ids.ts";

export const inboundStream = (type: string) => `CORTEX_IN_${type}`;
/** Receipts, decisions and clocks: none of them is a message of somebody outside. */
export const sharedInboundStream = "CORTEX_IN";

/** How much may wait in a channel's stream for the agents' service. */
export const inboundLimits = { max_msgs: 5000, max_bytes: 32 * 1024 * 1024 };

const consumerName = "agents";
/** One after the other: what wasn't acknowledged by who was killed comes again before what came later. */
const readAhead = 1;

const common: Partial<StreamConfig> = {
  // What is acknowledged is gone. Such a stream forgets its ids when the server restarts: those are kept in `taken-ids.ts`.
  retention: RetentionPolicy.Workqueue,
  storage: StorageType.File,
  // Full, it refuses: whoever sends hears it.
  discard: DiscardPolicy.New,
  duplicate_window: nanos(keptMs),
  ...inboundLimits,
};

/** Makes the streams into agents for these types of channels. */
export async function ensureInboundStreams(bus: Bus, types: readonly string[], num_replicas = 1): Promise<void> {
  await ensureTakenIds(bus, num_replicas);
  const shared = [...subjects.answersToAgents, ...clockTypes.map(subjects.channelIn)];
  const streams = [
    { name: sharedInboundStream, subjects: shared },
    ...types.map((type) => ({ name: inboundStream(type), subjects: [subjects.channelIn(type)] })),
  ];
  for (const stream of streams) await onceLed(() => ensureStream(bus, { ...common, ...stream, num_replicas }));
}

/** Where a message was stored. */
export type Stored = { stream: string; seq: number; isRepeated: boolean };

/**
 * Sends a message into its agent. Resolves when it is stored, with where, and whether its id had been there before.
 * @throws ChannelFullError, MessageTooLargeError, or the last error when the bus doesn't answer
 */
export async function storeInbound(bus: Bus, message: InboundMessage): Promise<Stored> {
  const { id, channel, text } = message;
  const { type } = channel;
  checkLength(text);
  const ack = await publish(bus, subjects.channelIn(type), message, `${type}:${id}`, type);
  const { stream, seq, duplicate } = ack;
  if (duplicate || clockTypes.includes(type)) return { stream, seq, isRepeated: duplicate };
  // The stream knows the ids of its own time; what was taken out of it before the server's last start is noted elsewhere.
  // When that can't be asked any more, it is stored all the same.
  const before = await takenAt(bus, type, id).catch(() => null);
  return { stream, seq, isRepeated: before !== null && before !== seq };
}

/** Sends a message into its agent. Resolves when it is stored, with whether it wasn't before. @throws as `storeInbound` */
export async function publishInbound(bus: Bus, message: InboundMessage): Promise<boolean> {
  return !(await storeInbound(bus, message)).isRepeated;
}

/** Says what became of an outbound message: once, and once more where that turned out otherwise (`late`). @throws as `storeInbound` */
export async function publishReceipt(bus: Bus, id: string, receipt: Receipt): Promise<Stored> {
  const name = receipt.late ? `receipt:${id}:late` : `receipt:${id}`;
  return toStored(await publish(bus, subjects.receipt(id), receipt, name));
}

/** Says what a user has decided. @throws as `storeInbound` */
export async function publishDecision(bus: Bus, token: string, decision: PermissionDecision): Promise<Stored> {
  return toStored(await publish(bus, subjects.permissionDecide(token), decision));
}

const toStored = ({ stream, seq, duplicate }: PubAck): Stored => ({ stream, seq, isRepeated: duplicate });

async function publish(bus: Bus, subject: string, value: unknown, msgID?: string, type?: string): Promise<PubAck> {
  const text = JSON.stringify(value);
  checkSize(bus, text);
  const options = { timeout: 2000, ...(msgID === undefined ? {} : { msgID }) };
  try {
    return await onceLed(() => bus.js.publish(subject, text, options));
  } catch (error) {
    if (error instanceof JetStreamApiError && isFull(error)) throw new ChannelFullError(type, error);
    throw error;
  }
}

/** A message for the agents' service. */
export type Inbound =
  | { kind: "message"; message: InboundMessage }
  | { kind: "receipt"; id: string; receipt: Receipt }
  | { kind: "decision"; token: string; decision: PermissionDecision }
  /** A message that can't be read, and why. */
  | { kind: "invalid"; subject: string; error: string };

export type InboundDelivery = {
  inbound: Inbound;
  /** When it was stored, in ms. */
  ts: number;
  stream: string;
  /** Its place in the stream. */
  streamSeq: number;
  /** How often it was given to somebody, this time counted. */
  deliveries: number;
  /** As it arrived. */
  data: Uint8Array;
  /** Says that it is kept: it leaves the stream. Resolves when the bus knows. */
  ack: () => Promise<void>;
  /** Asks for it again, later each time. */
  again: () => void;
};

/** Yields what a stream has for agents, in its order, until `signal`. */
export async function* storedInbound(bus: Bus, stream: string, signal: AbortSignal): AsyncGenerator<InboundDelivery> {
  for await (const message of durableMessages(bus, stream, consumerName, signal, readAhead))
    yield toDelivery(stream, message);
}

function toDelivery(stream: string, message: JsMsg): InboundDelivery {
  return {
    inbound: readInbound(message.subject, message.string()),
    ts: Math.floor(message.info.timestampNanos / 1e6),
    stream,
    streamSeq: message.info.streamSequence,
    deliveries: message.info.deliveryCount,
    data: message.data,
    ack: () => acknowledge(message),
    again: () => askAgain(message),
  };
}

/** Reads a message on a subject into agents, checked. */
export function readInbound(subject: string, text: string): Inbound {
  const [first, second, third = ""] = subject.split(".");
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    return { kind: "invalid", subject, error: error instanceof JsonDepthError ? error.message : "expected JSON" };
  }
  if (first === "permission") {
    const parsed = PermissionDecision.safeParse(value);
    if (parsed.success) return { kind: "decision", token: third, decision: parsed.data };
    return { kind: "invalid", subject, error: issueTexts(parsed.error, value).join("; ") };
  }
  if (second === "receipt") {
    const parsed = Receipt.safeParse(value);
    if (parsed.success) return { kind: "receipt", id: third, receipt: parsed.data };
    return { kind: "invalid", subject, error: issueTexts(parsed.error, value).join("; ") };
  }
  const parsed = InboundMessage.safeParse(value);
  if (!parsed.success) return { kind: "invalid", subject, error: issueTexts(parsed.error, value).join("; ") };
  // The subject is what the sender may use: a message that names another type is not a message of that one.
  if (parsed.data.channel.type !== third)
    return { kind: "invalid", subject, error: `channel.type: expected ${third}, as on the subject` };
  return { kind: "message", message: parsed.data };
}
