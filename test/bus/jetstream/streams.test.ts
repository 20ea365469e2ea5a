import { expect, test } from "vitest";
import { ensureStreams, eventStream, requestStream } from "../../../bus/jetstream/streams.ts";
import { BusServer } from "../bus-server.ts";

test("streams are made once, and one with other limits gets today's and keeps what it has", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const manager = await bus.manager();
  await manager.streams.update(requestStream, { max_msgs: 5 });
  await bus.js.publish("cortex.request", "{}");
  await Promise.all([ensureStreams(bus), ensureStreams(bus)]);
  const requests = await manager.streams.info(requestStream);
  expect(requests.config.max_msgs).toBe(200_000);
  expect(requests.state.messages).toBe(1);
  const [limits, day] = ["limits", 24 * 3600 * 1e9];
  expect(requests.config).toMatchObject({ retention: limits, discard: "new", storage: "file", max_age: 30 * day });
  const events = await manager.streams.info(eventStream);
  expect(events.config).toMatchObject({ retention: limits, discard: "old", storage: "file", max_age: 7 * day });
});
