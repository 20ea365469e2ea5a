import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bus } from "../../bus/connect.ts";
import { storedMessages } from "../../bus/stored-messages.ts";
import { eventStream } from "../../bus/streams.ts";
import { BusServer } from "./bus-server.ts";

let server: BusServer;
let bus: Bus;
beforeAll(async () => {
  server = await BusServer.start();
  bus = await server.as("cortex");
});
afterAll(() => server[Symbol.asyncDispose]());

const subjectOf = (run: number) => `cortex.event.${run}.text`;

async function publish(subject: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const numbers = Array.from({ length: Math.min(100, count - from) }, (_, index) => from + index);
    await Promise.all(numbers.map((number) => bus.js.publish(subject, String(number))));
  }
}

async function textsOf(filter?: string, each: () => void = () => {}): Promise<string[]> {
  const texts: string[] = [];
  for await (const message of storedMessages(bus, eventStream, filter)) {
    texts.push(message.string());
    each();
  }
  return texts;
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index));

test("of more than is asked for at once nothing is left out, while others publish", async () => {
  const other = await server.as("cortex");
  const reading = new AbortController();
  const publishing = (async () => {
    for (let run = 100; !reading.signal.aborted; run++) {
      other.connection.publish(subjectOf(run), "x".repeat(100));
      if (run % 50 === 0) await other.connection.flush();
    }
  })();
  await publish(subjectOf(1), 1300);
  for (let round = 0; round < 2; round++) expect(await textsOf("cortex.event.1.>")).toEqual(numbers(1300));
  reading.abort();
  await publishing;
});

test("what comes while it is read isn't waited for, and a stream without anything isn't either", async () => {
  await publish(subjectOf(2), 600);
  const texts = await textsOf("cortex.event.2.>", () => bus.connection.publish(subjectOf(2), "later"));
  expect(texts).toEqual(numbers(600));
  expect(await textsOf("cortex.event.3.>")).toEqual([]);
});

test("it ends also when the last message is taken away while it is read", async () => {
  await publish(subjectOf(4), 3);
  const { streams } = await bus.manager();
  const last = await streams.getMessage(eventStream, { last_by_subj: subjectOf(4) });
  const texts: string[] = [];
  for await (const message of storedMessages(bus, eventStream, "cortex.event.4.>")) {
    texts.push(message.string());
    if (texts.length === 1) await streams.deleteMessage(eventStream, last?.seq ?? 0, false);
  }
  expect(texts.slice(0, 2)).toEqual(["0", "1"]);
});
