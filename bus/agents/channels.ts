/**
 * The messages between people and agents, stored before they count: the streams of both ways, and the way out. Each
 * type of channel has a stream of its own for what goes out to it, which its adapter alone can read.
 */
import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from "@nats-io/jetstream";
import { errors, nanos } from "@nats-io/transport-node";
import { type InboundMessage, OutboundMessage } from "../../protocol/agents/channel.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { ensureInboundStreams } from "./inbound.ts";
import { mayPass, onceLed } from "../connection/leader.ts";
import { ensureStream } from "../jetstream/streams.ts";
import { tryParseJson } from "../../protocol/json/parse-json.ts";

export const outboundStream = (type: string) => `CORTEX_OUT_${type}`;

/** Where messages of rooms go that are bound to threads: to the workspaces, as if those were a channel. No channel can be called so. */
export const workspaceInbox = "_workspace";

const day = 24 * 3_600_000;
const mebibyte = 1024 * 1024;

const kept: Pick<StreamConfig, "retention" | "storage" | "duplicate_window"> = {
  retention: RetentionPolicy.Limits,
  storage: StorageType.File,
  duplicate_window: nanos(2 * day),
};

/** Makes the streams of these types of channels, both ways. */
export async function ensureChannelStreams(bus: Bus, types: readonly string[], replicas = 1): Promise<void> {
  await ensureInboundStreams(bus, types, replicas);
  const outbound = [...types, workspaceInbox].map((type) => ({
    name: outboundStream(type),
    subjects: [subjects.channelOut(type)],
    discard: DiscardPolicy.Old,
    max_bytes: 64 * mebibyte,
    max_age: nanos(7 * day),
    allow_direct: true,
  }));
  for (const config of outbound) await onceLed(() => ensureStream(bus, { ...kept, ...config, num_replicas: replicas }));
}

/** Sends a message out to its channel. Resolves when it is stored, with whether it wasn't before. */
export async function publishOutbound(bus: Bus, message: OutboundMessage): Promise<boolean> {
  const subject = subjects.channelOut(message.channel.type);
  const options = { timeout: 2000, msgID: message.id };
  const { duplicate } = await onceLed(() => bus.js.publish(subject, JSON.stringify(message), options));
  return !duplicate;
}

/** Hands a message of a bound room on to the workspaces. Resolves when it is stored. */
export async function publishToWorkspace(bus: Bus, message: InboundMessage): Promise<void> {
  const options = { timeout: 2000, msgID: `${message.channel.type}:${message.id}` };
  await onceLed(() => bus.js.publish(subjects.channelOut(workspaceInbox), JSON.stringify(message), options));
}

/** Milliseconds after which the stream is looked at again when nothing was heard. */
const lookMs = 1000;

/** The place of the last that went out to a channel; 0 when nothing did. */
export async function lastOutbound(bus: Bus, type: string): Promise<number> {
  const { direct } = await bus.manager();
  const last = await onceLed(() =>
    direct.getMessage(outboundStream(type), { last_by_subj: subjects.channelOut(type) }),
  );
  return last?.seq ?? 0;
}

/** A message that goes out to a channel, with its place in the stream. */
export type Outbound = { position: number; message: OutboundMessage };

/** A message that was stored earlier, with the time at which it was, in ms. */
export type FormerOutbound = Outbound & { at: number };

/** Messages that are looked up at once. */
const atOnce = 64;

/** Yields what went out to a channel in a part of its stream and is still there, first and last included. */
export async function* formerOutbound(
  bus: Bus,
  type: string,
  first: number,
  last: number,
): AsyncGenerator<FormerOutbound> {
  const { direct } = await bus.manager();
  const lookUp = (seq: number) => onceLed(() => direct.getMessage(outboundStream(type), { seq }));
  for (let from = first; from <= last; from += atOnce) {
    const count = Math.min(atOnce, last - from + 1);
    const found = await Promise.all(Array.from({ length: count }, (_, at) => lookUp(from + at)));
    for (const stored of found) {
      if (!stored) continue;
      const message = OutboundMessage.safeParse(tryParseJson(stored.string()));
      if (message.success) yield { position: stored.seq, message: message.data, at: stored.time.getTime() };
    }
  }
}

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
      const message = OutboundMessage.safeParse(tryParseJson(found.string()));
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
