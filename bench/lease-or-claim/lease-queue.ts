/**
 * A queue with leases, as most have it: who takes an item has it alone for as long as it says that it still works on it; when
 * nobody has said so for the time of a lease, somebody else gets it. The server keeps the leases, and gives each item to one.
 */
import { AckPolicy, type Consumer } from "@nats-io/jetstream";
import { nanos } from "@nats-io/transport-node";
import type { Bus } from "../../bus/connection/connect.ts";

const stream = "LEASED";
const consumer = "workers";
const itemSubject = "leased.item";
export const finishSubject = (agentId: string) => `leased.finish.${agentId}`;

export type Item = { agent_id: string; seconds: number };

export async function makeQueue(bus: Bus, leaseMs: number): Promise<void> {
  const manager = await bus.manager();
  await manager.streams.add({ name: stream, subjects: ["leased.>"] });
  await manager.consumers.add(stream, {
    durable_name: consumer,
    filter_subject: itemSubject,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(leaseMs),
    max_deliver: -1,
  });
}

export async function putItem(bus: Bus, item: Item): Promise<void> {
  await bus.js.publish(itemSubject, JSON.stringify(item), { msgID: item.agent_id });
}

export const openQueue = (bus: Bus): Promise<Consumer> => bus.js.consumers.get(stream, consumer);

/** The runs whose end stands in the queue. */
export async function finishedIn(bus: Bus): Promise<Set<string>> {
  const manager = await bus.manager();
  const { state } = await manager.streams.info(stream, { subjects_filter: finishSubject("*") });
  return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split(".")[2] ?? ""));
}
