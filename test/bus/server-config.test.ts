import type { NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Bus } from "../../bus/connection/connect.ts";
import { openBus } from "../../bus/connection/connect.ts";
import { eventFeed, eventStreamState } from "../../bus/events/event-feed.ts";
import { ensureStreams } from "../../bus/jetstream/streams.ts";
import { BusServer } from "./bus-server.ts";
import { patienceMs } from "../support/patience.ts";

let server: BusServer;
let client: Bus;
let cortex: Bus;
let web: Bus;
let telemetry: Bus;
beforeAll(async () => {
  server = await BusServer.start();
  [client, cortex, web, telemetry] = (await Promise.all(
    (["client", "cortex", "channel-web", "telemetry"] as const).map((user) => server.as(user)),
  )) as [Bus, Bus, Bus, Bus];
});
afterAll(() => server[Symbol.asyncDispose]());

/** Lists what `listener` hears on a subject of what `speaker` says there. */
async function heard(
  listener: NatsConnection,
  speaker: NatsConnection,
  subject: string,
  said: string,
): Promise<string[]> {
  const texts: string[] = [];
  const subscription = listener.subscribe(said, {
    callback: (error, message) => void (error ?? texts.push(message.string())),
  });
  void subscription.closed.catch(() => {});
  await listener.flush();
  speaker.publish(subject, "hello");
  // Its answer comes behind everything else, on both connections.
  await speaker.flush();
  await listener.flush();
  subscription.unsubscribe();
  return texts;
}

test.each(["cortex.request", "cortex.cancel.1736380800000", "cortex.input.1736380800000"])(
  "a client may publish on %s",
  async (subject) => {
    expect(await heard(cortex.connection, client.connection, subject, subject)).toEqual(["hello"]);
  },
);

test.each(["cortex.request", "cortex.cancel.1736380800000", "agents.command"])(
  "the web program may publish on %s",
  async (subject) => {
    expect(await heard(cortex.connection, web.connection, subject, subject)).toEqual(["hello"]);
  },
);

test.each(["cortex.event.1736380800000.finish", "_INBOX.somebody", "agents.tool", "cortex.turn_input.1736380800000"])(
  "the web program may not publish on %s",
  async (subject) => {
    expect(await heard(cortex.connection, web.connection, subject, subject)).toEqual([]);
  },
);

test("the web program hears the events of runs, and what cortex answers", async () => {
  for (const subject of ["cortex.event.1736380800000.finish", "_INBOX.of-a-request"])
    expect(await heard(web.connection, cortex.connection, subject, subject)).toEqual(["hello"]);
});

test.each([
  "cortex.request",
  "cortex.cancel.1736380800000",
  "cortex.event.1736380800000.finish",
  "agents.command",
  "_INBOX.somebody",
  "$JS.API.STREAM.DELETE.CORTEX_EVENTS",
  "$JS.API.STREAM.PURGE.CORTEX_EVENTS",
  "$JS.API.CONSUMER.CREATE.CORTEX_REQ",
])("telemetry may not publish on %s", async (subject) => {
  expect(await heard(cortex.connection, telemetry.connection, subject, subject)).toEqual([]);
});

test("telemetry reads the events of the stream, from any place on", async () => {
  const subject = "cortex.event.1736380800000.finish";
  const event = { event: "finish", ts: 1736380800000, agent_id: "1736380800000", seq: 1, result: "done" };
  const { seq } = await cortex.js.publish(subject, JSON.stringify(event));
  expect((await eventStreamState(telemetry)).last).toBeGreaterThanOrEqual(seq);
  for await (const fed of eventFeed(telemetry, seq - 1, new AbortController().signal)) {
    expect([fed.position, fed.read()?.event]).toEqual([seq, event]);
    return;
  }
  throw new Error("nothing came");
});

test.each([
  "cortex.event.1736380800000.finish",
  "cortex.rejected",
  "cortex.status",
  "supervisor.event.cortex.ready",
  "cortex.cancel.1736380800000.more",
  "cortex.turn_input.1736380800000",
  "_INBOX.somebody",
  "_INBOX_cortex.reply",
  "$JS.API.STREAM.DELETE.CORTEX_REQ",
  "$KV.cortex_runs.1736380800000",
  "channel.in.cli",
])("a client may not publish on %s", async (subject) => {
  expect(await heard(cortex.connection, client.connection, subject, subject)).toEqual([]);
});

test.each(["cortex.event.1736380800000.finish", "cortex.rejected", "cortex.status", "supervisor.event.cortex.ready"])(
  "a client may listen to %s",
  async (subject) => {
    expect(await heard(client.connection, cortex.connection, subject, subject)).toEqual(["hello"]);
  },
);

test.each([
  ["cortex.request", "cortex.request"],
  ["cortex.cancel.1736380800000", "cortex.cancel.*"],
  ["cortex.input.1736380800000", "cortex.input.>"],
  ["cortex.turn_input.1736380800000", "cortex.turn_input.*"],
  ["_INBOX_cortex.secret", "_INBOX_cortex.>"],
  ["_INBOX_supervisor.secret", "_INBOX_supervisor.*"],
  ["$KV.cortex_runs.1736380800000", "$KV.>"],
  ["cortex.request", ">"],
  ["cortex.request", "*.*"],
])("a client hears nothing of %s by listening to %s", async (subject, wildcard) => {
  expect(await heard(client.connection, cortex.connection, subject, wildcard)).toEqual([]);
});

test("a client can't ask the server for its streams, nor have another ask for it", async () => {
  await expect(client.connection.request("$JS.API.STREAM.INFO.CORTEX_REQ", "", { timeout: 500 })).rejects.toThrow();
  const manager = await cortex.manager();
  await cortex.js.publish("cortex.request", "one that is counted");
  const before = (await manager.streams.info("CORTEX_REQ")).state.messages;
  // The server itself answers a stored message on the subject that it names.
  for (const subject of ["$JS.API.STREAM.PURGE.CORTEX_REQ", "$JS.API.STREAM.DELETE.CORTEX_REQ"])
    client.connection.publish("cortex.request", "{}", { reply: subject });
  await client.connection.flush();
  // It is stored behind those two, and whatever they set off.
  await cortex.js.publish("cortex.request", "one more");
  expect((await manager.streams.info("CORTEX_REQ")).state.messages).toBe(before + 3);
});

test("nobody comes in without the right password", async () => {
  const { url } = server;
  await expect(openBus({ url }, "client", patienceMs)).rejects.toThrow(/[Aa]uthorization/);
  for (const [user, password] of [
    ["client", "guess"],
    ["cortex", "undefined"],
  ] as const) {
    const opening = openBus({ url, user, password }, user, patienceMs);
    await expect(opening).rejects.toThrow(/[Aa]uthorization/);
  }
});

test("a client may look events up in their stream, and only there", async () => {
  await ensureStreams(cortex);
  await cortex.js.publish("cortex.event.1736380800001.text", "what was said");
  const find = JSON.stringify({ seq: 1, next_by_subj: "cortex.event.1736380800001.>" });
  const first = await client.connection.request("$JS.API.DIRECT.GET.CORTEX_EVENTS", find, { timeout: patienceMs });
  expect(first.string()).toBe("what was said");
  const last = "$JS.API.DIRECT.GET.CORTEX_EVENTS.cortex.event.1736380800001.text";
  expect((await client.connection.request(last, "", { timeout: patienceMs })).string()).toBe("what was said");
  for (const subject of ["$JS.API.DIRECT.GET.KV_cortex_runs", "$JS.API.CONSUMER.CREATE.CORTEX_EVENTS"])
    await expect(client.connection.request(subject, find, { timeout: 500 })).rejects.toThrow();
});
