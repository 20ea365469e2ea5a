/**
 * What goes between people and agents, stored before it counts. One stream holds all that goes to the agents' service; each
 * type of channel has one of its own for what goes out to it, which its adapter alone can read.
 */
import {
  DiscardPolicy,
  type JsMsg,
  type PubAck,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from "@nats-io/jetstream";
import { errors, nanos } from "@nats-io/transport-node";
import { InboundMessage, OutboundMessage, PermissionDecision, Receipt } from "../protocol/channel.ts";
import { issueTexts } from "../protocol/issues.ts";
import { subjects } from "../protocol/subjects.ts";
import type { Bus } from "./connect.ts";
import { acknowledge, askAgain, durableMessages } from "./durable-consumer.ts";
import { mayPass, onceLed } from "./leader.ts";
import { ensureStream } from "./streams.ts";
import { parseJson } from "../protocol/parse-json.ts";

export const inboundStream = "CORTEX_INBOUND";
export const outboundStream = (type: string) => `CORTEX_OUT_${type}`;

const consumerName = "agents";
const day = 24 * 3_600_000;
const mebibyte = 1024 * 1024;

const kept: Pick<StreamConfig, "retention" | "storage" | "duplicate_window"> = {
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  duplicate_window: nanos(2 * day),
};

/** Makes the streams of these types of channels. */
export async function ensureChannelStreams(bus: Bus, types: readonly string[], replicas = 1): Promise<void> {
  // Full, it refuses: whoever sends hears it.
  const inbound = {
    name: inboundStream,
    subjects: [...subjects.toAgents],
    discard: DiscardPolicy.New,
    max_bytes: 256 * mebibyte,
    max_age: nanos(30 * day),
  };
  const outbound = types.map((type) => ({
    name: outboundStream(type),
    subjects: [subjects.channelOut(type)],
    discard: DiscardPolicy.Old,
    max_bytes: 64 * mebibyte,
    max_age: nanos(7 * day),
    allow_direct: true,
  }));
  for (const config of [inbound, ...outbound])
    await onceLed(() => ensureStream(bus, { ...kept, ...config, num_replicas: replicas }));
}

/**
 * Sends a message into its agent. Resolves when it is stored, with whether it wasn't before.
 * @throws the last error, when the bus doesn't answer
 */
export async function publishInbound(bus: Bus, message: InboundMessage): Promise<boolean> {
  const { type } = message.channel;
  const { duplicate } = await publish(bus, subjects.channelIn(type), message, `${type}:${message.id}`);
  return !duplicate;
}

/** Sends a message out to its channel. Resolves when it is stored, with whether it wasn't before. */
export async function publishOutbound(bus: Bus, message: OutboundMessage): Promise<boolean> {
  const { duplicate } = await publish(bus, subjects.channelOut(message.channel.type), message, message.id);
  return !duplicate;
}

/** Says what became of an outbound message. */
export async function publishReceipt(bus: Bus, id: string, receipt: Receipt): Promise<void> {
  await publish(bus, subjects.receipt(id), receipt, `receipt:${id}`);
}

/** Says what a user has decided. */
export async function publishDecision(bus: Bus, token: string, decision: PermissionDecision): Promise<void> {
  await publish(bus, subjects.permissionDecide(token), decision);
}

async function publish(bus: Bus, subject: string, value: unknown, msgID?: string): Promise<PubAck> {
  const options = { timeout: 2000, ...(msgID === undefined ? {} : { msgID }) };
  return onceLed(() => bus.js.publish(subject, JSON.stringify(value), options));
}

/** What came for the agents' service. */
export type Inbound =
  | { kind: "message"; message: InboundMessage }
  | { kind: "receipt"; id: string; receipt: Receipt }
  | { kind: "decision"; token: string; decision: PermissionDecision }
  /** What nobody can make anything of, and why. */
  | { kind: "invalid"; subject: string; error: string };

export type InboundDelivery = {
  inbound: Inbound;
  /** When it was stored, in ms. */
  ts: number;
  /** Its place in the stream. */
  streamSeq: number;
  /** Says that it is kept. Resolves when the bus knows. */
  ack: () => Promise<void>;
  /** Asks for it again, later each time. */
  again: () => void;
};

/** Yields what came for agents and wasn't acknowledged, in its order, until `signal`. */
export async function* storedInbound(bus: Bus, signal: AbortSignal): AsyncGenerator<InboundDelivery> {
  for await (const message of durableMessages(bus, inboundStream, consumerName, signal)) yield toDelivery(message);
}

function toDelivery(message: JsMsg): InboundDelivery {
  return {
    inbound: readInbound(message.subject, message.string()),
    ts: Math.floor(message.info.timestampNanos / 1e6),
    streamSeq: message.info.streamSequence,
    ack: () => acknowledge(message),
    again: () => askAgain(message),
  };
}

function readInbound(subject: string, text: string): Inbound {
  const [first, second, third = ""] = subject.split(".");
  const value = jsonOf(text);
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
  // The subject is what the sender may use: a message that names another type is no message of that one.
  if (parsed.data.channel.type !== third)
    return { kind: "invalid", subject, error: `channel.type: expected ${third}, as on the subject` };
  return { kind: "message", message: parsed.data };
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** How often the stream is looked at when nothing was heard. */
const lookMs = 1000;

/** The place of the last that went out to a channel; 0 when nothing did. */
export async function lastOutbound(bus: Bus, type: string): Promise<number> {
  const { direct } = await bus.manager();
  const last = await onceLed(() =>
    direct.getMessage(outboundStream(type), { last_by_subj: subjects.channelOut(type) }),
  );
  return last?.seq ?? 0;
}

/** What goes out to a channel, with its place in the stream. */
export type Outbound = { position: number; message: OutboundMessage };

/**
 * Yields what goes out to a channel from a place of its stream on, until `signal`. While the bus is away it waits. An adapter
 * may look up message by message and nothing else.
 */
export async function* storedOutbound(
  bus: Bus,
  type: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Outbound> {
  const { direct } = await bus.manager();
  let position = from;
  let wake = () => {};
  const subscription = bus.connection.subscribe(subjects.channelOut(type), { callback: () => wake() });
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  try {
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined;
      const news = new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, lookMs);
      });
      const found = await next();
      if (!found) await news;
      clearTimeout(timer);
      if (!found || signal.aborted) continue;
      position = found.seq + 1;
      const message = OutboundMessage.safeParse(jsonOf(found.string()));
      if (message.success) yield { position: found.seq, message: message.data };
    }
  } finally {
    signal.removeEventListener("abort", stop);
    subscription.unsubscribe();
  }

  async function next() {
    try {
      return await direct.getMessage(outboundStream(type), { seq: position, next_by_subj: subjects.channelOut(type) });
    } catch (error) {
      if (bus.connection.isClosed() || !(mayPass(error) || error instanceof errors.RequestError)) throw error;
      return null;
    }
  }
}
