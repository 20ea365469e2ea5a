import { expect, test } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { EventPublisher } from "../../../bus/events/events.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { BusServer } from "../bus-server.ts";

const id = "1736380800000";
const other = "1736380800001";

const events = (agentId: string, count: number): AgentEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    event: "text",
    ts: index,
    agent_id: agentId,
    seq: index + 1,
    text: `${index} ${"é".repeat(index % 50)}`,
  }));

/** Reads the events that the stream has of a run, in its order. */
async function stored(bus: Bus, agentId: string): Promise<AgentEvent[]> {
  const found: AgentEvent[] = [];
  const consumer = await bus.js.consumers.get("CORTEX_EVENTS", { filter_subjects: `cortex.event.${agentId}.>` });
  const { num_pending } = await consumer.info(true);
  if (num_pending === 0) return [];
  for await (const message of await consumer.consume()) {
    found.push(message.json());
    if (message.info.pending === 0) break;
  }
  return found;
}

test("events are heard and stored in the order in which they were published", async () => {
  await using server = await BusServer.start();
  const [bus, client] = await Promise.all([server.as("cortex"), server.as("client")]);
  const heard: AgentEvent[] = [];
  client.connection.subscribe("cortex.event.>", { callback: (_, message) => void heard.push(message.json()) });
  await client.connection.flush();
  const publisher = new EventPublisher(bus);
  const published = events(id, 2000);
  for (const event of published) {
    publisher.publish(event, JSON.stringify(event));
    await publisher.paced();
  }
  expect(await publisher.arrived()).toBe(true);
  await client.connection.flush();
  expect(heard).toEqual(published);
  expect(await publisher.confirmed(id)).toBe(true);
  expect(await stored(bus, id)).toEqual(published);
});

test("the bus gets what it lacks after its server was killed with -9, once and in order", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const publisher = new EventPublisher(bus);
  const published = events(id, 500);
  for (const event of published.slice(0, 300)) publisher.publish(event, JSON.stringify(event));
  await publisher.arrived();
  await server.killAndRestart(bus);
  expect(await publisher.catchUp(id, linesOf(published))).toBe(true);
  expect(await publisher.catchUp(id, linesOf(published))).toBe(true);
  expect(await publisher.catchUp(other, linesOf(events(other, 3)))).toBe(true);
  expect(await publisher.catchUp(other, linesOf([]))).toBe(true);
  for (const run of [id, other]) expect(await publisher.confirmed(run)).toBe(true);
  expect(await stored(bus, id)).toEqual(published);
  expect(await stored(bus, other)).toEqual(events(other, 3));
});

test("an event that was published twice stands in the stream once", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const publisher = new EventPublisher(bus);
  const [event, next] = events(id, 2) as [AgentEvent, AgentEvent];
  for (const each of [event, event, event, next]) publisher.publish(each, JSON.stringify(each));
  expect(await publisher.confirmed(id)).toBe(true);
  expect(await stored(bus, id)).toEqual([event, next]);
});

test("an event larger than the server takes is cut, and the connection lives on", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const publisher = new EventPublisher(bus);
  const large: AgentEvent = { event: "text", ts: 1, agent_id: id, seq: 1, text: "x".repeat(5_000_000) };
  const [, small] = events(id, 2) as [AgentEvent, AgentEvent];
  for (const event of [large, small]) publisher.publish(event, JSON.stringify(event));
  expect(await publisher.confirmed(id)).toBe(true);
  const [cut, whole] = await stored(bus, id);
  expect(cut).toMatchObject({ event: "text", seq: 1, truncated: true });
  expect(String(cut?.["text"]).length).toBeGreaterThan(1000);
  expect(whole).toEqual(small);
});

test("an event published while the bus is away isn't said to have arrived", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const publisher = new EventPublisher(bus);
  await bus.connection.close();
  const [event] = events(id, 1) as [AgentEvent];
  publisher.publish(event, JSON.stringify(event));
  publisher.publishPassing(id, { event: "text_delta", text: "x" }, 0);
  expect(await publisher.arrived()).toBe(false);
  expect(await publisher.catchUp(id, linesOf([event]))).toBe(false);
});

/** As though they stood in a file. */
const linesOf = (published: AgentEvent[]) =>
  async function* (from: number) {
    for (const event of published) if (event.seq >= from) yield { event, line: JSON.stringify(event) };
  };
