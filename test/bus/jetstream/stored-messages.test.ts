import { expect, test, vi } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { storedMessages } from "../../../bus/jetstream/stored-messages.ts";
import { eventStream } from "../../../bus/jetstream/streams.ts";
import { patienceMs } from "../../support/patience.ts";
import { BusServer } from "../bus-server.ts";

const subject = (run: string) => `cortex.event.${run}.text`;

async function publish(bus: Bus, run: string, texts: string[]): Promise<void> {
  await Promise.all(texts.map((text) => bus.js.publish(subject(run), text, { timeout: patienceMs })));
}

async function textsOf(bus: Bus, run: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const message of storedMessages(bus, eventStream, subject(run))) texts.push(message.string());
  return texts;
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${from + at}`);

test("more than is asked for at once is read to its end, while others publish", async () => {
  await using server = await BusServer.start();
  const [bus, other] = await Promise.all([server.as("cortex"), server.as("cortex")]);
  for (let from = 0; from < 2000; from += 100) {
    await publish(bus, "1", numbered(from, from + 100));
    await publish(bus, "2", numbered(from, from + 100));
  }
  const reading = new AbortController();
  const noise = (async () => {
    while (!reading.signal.aborted) await publish(other, "3", numbered(0, 50));
  })();
  for (let round = 0; round < 5; round++) expect(await textsOf(bus, "1")).toEqual(numbered(0, 2000));
  reading.abort();
  await noise;
});

/** Has it count so many messages at most of what is to come, as nats-server 2.9 may while others publish. */
function countAtMost(most: number, { consumers }: Bus["js"]): void {
  const get = consumers.get.bind(consumers);
  vi.spyOn(consumers, "get").mockImplementation(async (...args) => {
    const consumer = await get(...args);
    const info = consumer.info.bind(consumer);
    vi.spyOn(consumer, "info").mockImplementation(async (cached) => {
      const told = await info(cached);
      return { ...told, num_pending: Math.min(told.num_pending, most) };
    });
    return consumer;
  });
}

test("a stream whose messages the server undercounts is read to its end all the same", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  await publish(bus, "1", numbered(0, 5));
  await publish(bus, "2", numbered(0, 5));
  await publish(bus, "1", numbered(5, 8));
  countAtMost(3, bus.js);
  expect(await textsOf(bus, "1")).toEqual(numbered(0, 8));
});

test("the reading ends where the last messages of a subject were deleted, and where there never were any", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  await publish(bus, "1", numbered(0, 5));
  await publish(bus, "2", numbered(0, 5));
  const { streams } = await bus.manager();
  for (const seq of [4, 5]) await streams.deleteMessage(eventStream, seq);
  expect(await textsOf(bus, "1")).toEqual(["0", "1", "2"]);
  for (const seq of [1, 2, 3]) await streams.deleteMessage(eventStream, seq);
  expect(await textsOf(bus, "1")).toEqual([]);
  expect(await textsOf(bus, "3")).toEqual([]);
});
