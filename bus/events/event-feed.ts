/** All events that the bus has, in its order, from a position on: for who keeps them. */
import { setTimeout as delay } from "node:timers/promises";
import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import { AgentEvent } from "../../protocol/runs/event.ts";
import type { Bus } from "../connection/connect.ts";
import { deleteMessage } from "../jetstream/delete-message.ts";
import { epochOf } from "./event-message.ts";
import { onceLed } from "../connection/leader.ts";
import { watchForStall } from "../jetstream/stall.ts";
import { eventStream } from "../jetstream/streams.ts";
import { tryParseOwnJson } from "../../protocol/json/parse-json.ts";

export type FedEvent = {
  agentId: string;
  /**
   * Reads the event, or null: `text_delta` has no number, and stands in no file. Read only when it is asked for: most
   * of what a host hears is its own.
   */
  read: () => { event: AgentEvent; line: string } | null;
  /** How often the run had changed hands when its worker said it. */
  epoch: number;
  /** Where it stands in the stream. */
  position: number;
};

/** Reads which stream it is, and how far it goes. */
export async function eventStreamState(bus: Bus): Promise<{ stream: string; last: number }> {
  const manager = await bus.manager();
  const { created, state } = await onceLed(() => manager.streams.info(eventStream));
  return { stream: String(created), last: state.last_seq };
}

/** Takes a late word out of the stream, for whoever reads it later. */
export async function dropEvent(bus: Bus, position: number): Promise<void> {
  await deleteMessage(bus, eventStream, position, false);
}

/**
 * Yields each event behind a position, until `signal`, or until the stream can't be read any more: then again, from where
 * it stopped.
 */
export async function* eventFeed(bus: Bus, after: number, signal: AbortSignal): AsyncGenerator<FedEvent> {
  const consumer = await onceLed(() =>
    bus.js.consumers.get(eventStream, { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 }),
  );
  const messages = await consumer.consume({ max_messages: 512, expires: 5000, idle_heartbeat: 1000 });
  const stop = () => void messages.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  let delivered = after;
  using _stall = watchForStall(bus, eventStream, { delivered: () => delivered, onStall: stop });
  try {
    for await (const message of messages) {
      delivered = message.seq;
      const fed = fedEvent(message);
      if (fed) yield fed;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
  if (!signal.aborted) await delay(1000, undefined, { signal }).catch(() => {});
}

function fedEvent(message: JsMsg): FedEvent | null {
  const agentId = message.subject.split(".")[2];
  if (agentId === undefined) return null;
  const read = () => {
    const line = message.string();
    const event = AgentEvent.safeParse(tryParseOwnJson(line)).data;
    return event ? { event, line } : null;
  };
  return { agentId, read, epoch: epochOf(message.headers), position: message.seq };
}
