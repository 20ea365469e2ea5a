import { nanos } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { eraseRequest, publishRequest, storedRequest, storedRequests } from "../../../bus/runs/requests.ts";
import { requestStream } from "../../../bus/jetstream/streams.ts";
import { BusServer } from "../bus-server.ts";

const request = (ts: number, prompt = "hello") => ({ ts, prompt });
const first = 1_736_380_800_000;
const textOf = (data: Uint8Array) => new TextDecoder().decode(data);

async function countStored(bus: Bus): Promise<number> {
  return (await (await bus.manager()).streams.info(requestStream)).state.messages;
}

test("a request comes again until it is acknowledged, and then never", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const stopping = new AbortController();
  await publishRequest(bus, request(first), "hash 1");
  const seen: number[] = [];
  for await (const delivery of storedRequests(bus, stopping.signal)) {
    seen.push(delivery.streamSeq);
    expect(JSON.parse(textOf(delivery.data))).toEqual(request(first));
    // So that the test needn't wait as long as a real worker may take.
    if (seen.length === 1)
      await (await bus.manager()).consumers.update(requestStream, "cortex", { ack_wait: nanos(200) });
    if (seen.length < 3) continue;
    await delivery.ack();
    break;
  }
  expect(seen).toEqual([1, 1, 1]);
  const { num_ack_pending, num_pending } = await (await bus.manager()).consumers.info(requestStream, "cortex");
  expect([num_ack_pending, num_pending]).toEqual([0, 0]);
});

test("a bare publish of anything is stored, in the order of arrival", async () => {
  await using server = await BusServer.start();
  const [bus, client] = await Promise.all([server.as("cortex"), server.as("client")]);
  for (let count = 0; count < 50; count++) client.connection.publish("cortex.request", `no JSON ${count}`);
  const stopping = new AbortController();
  const texts: string[] = [];
  const acknowledged: Promise<void>[] = [];
  for await (const delivery of storedRequests(bus, stopping.signal)) {
    texts.push(textOf(delivery.data));
    expect(delivery.streamSeq).toBe(texts.length);
    expect(delivery.replyTo).toBe(null);
    // Not waited for one by one: after a while they would come again.
    acknowledged.push(delivery.ack());
    if (texts.length === 50) break;
  }
  await Promise.all(acknowledged);
  expect(texts).toEqual(Array.from({ length: 50 }, (_, count) => `no JSON ${count}`));
  expect(textOf((await storedRequest(bus, 7)) ?? new Uint8Array())).toBe("no JSON 6");
});

test("the same message id is stored once, also after the server was killed with -9", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  await publishRequest(bus, request(first), "hash 1");
  await publishRequest(bus, request(first), "hash 1");
  await server.killAndRestart(bus);
  await publishRequest(bus, request(first), "hash 1");
  await publishRequest(bus, request(first, "other"), "hash 2");
  expect(await countStored(bus)).toBe(2);
});

test("a request that is published while the server is dead is stored once it is back", async () => {
  await using server = await BusServer.start();
  const [bus, client] = await Promise.all([server.as("cortex"), server.as("client")]);
  const restarted = server.killAndRestart(bus);
  await Promise.all([restarted, publishRequest(client, request(first), "hash 1")]);
  expect(await countStored(bus)).toBe(1);
});

test("a full stream refuses a request at once, with an error", async () => {
  await using server = await BusServer.start();
  const [bus, client] = await Promise.all([server.as("cortex"), server.as("client")]);
  await (await bus.manager()).streams.update(requestStream, { max_msgs: 2 });
  await publishRequest(client, request(first), "hash 1");
  await publishRequest(client, request(first + 1), "hash 2");
  let sent = 0;
  bus.connection.subscribe("cortex.request", { callback: () => void sent++ });
  await bus.connection.flush();
  await expect(publishRequest(client, request(first + 2), "hash 3")).rejects.toThrow(/maximum/);
  await bus.connection.flush();
  // What may pass is sent again five times a second, for 20 s. Here only a lost answer may have it sent once more.
  expect(sent).toBeLessThan(5);
  expect(await countStored(bus)).toBe(2);
});

test("the answer may name an inbox only", async () => {
  await using server = await BusServer.start();
  const [bus, client] = await Promise.all([server.as("cortex"), server.as("client")]);
  const wanted = [
    "_INBOX.abc",
    "cortex.event.1736380800000.finish",
    "$JS.API.STREAM.DELETE.X",
    "_INBOX.>",
    "_INBOX_cortex.a",
  ];
  for (const [index, reply] of wanted.entries()) await publishRequest(client, request(first + index), "hash", reply);
  const replies: (string | null)[] = [];
  for await (const delivery of storedRequests(bus, new AbortController().signal)) {
    replies.push(delivery.replyTo);
    await delivery.ack();
    if (replies.length === wanted.length) break;
  }
  expect(replies).toEqual(["_INBOX.abc", null, null, null, null]);
});

test("whoever is told to stop yields nothing more", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const stopping = new AbortController();
  const deliveries = storedRequests(bus, stopping.signal);
  const next = deliveries.next();
  await publishRequest(bus, request(first), "hash 1");
  await next;
  const last = deliveries.next();
  stopping.abort();
  expect((await last).done).toBe(true);
});

test("whoever is told to stop at whatever moment of the beginning comes to an end", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  for (let turns = 0; turns < 60; turns++) {
    const stopping = new AbortController();
    const next = storedRequests(bus, stopping.signal).next();
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    stopping.abort();
    expect((await next).done).toBe(true);
  }
});

test("a request is erased if it is the one that is meant: another may stand in its place by now", async () => {
  await using server = await BusServer.start();
  const bus = await server.as("cortex");
  const place = await publishRequest(bus, request(first, "mine"), "hash 1");
  await eraseRequest(bus, place, (data) => textOf(data).includes("another's"));
  expect(textOf((await storedRequest(bus, place)) ?? new Uint8Array())).toContain("mine");
  await eraseRequest(bus, place, (data) => textOf(data).includes("mine"));
  expect(await storedRequest(bus, place)).toBe(null);
  await eraseRequest(bus, place, () => true);
});
