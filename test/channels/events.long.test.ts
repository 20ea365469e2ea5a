/** Server-sent events in this process, with limits that a test can reach. */
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { newServer } from "../../channels/adapter/http-server.ts";
import { serveEvents } from "../../channels/web/events.ts";
import { ChannelSystem, outbound } from "./channel-system.ts";
import { EventReader } from "./sse.ts";

async function serving(limits: { listeners: number; unreadMs: number }) {
  const system = await ChannelSystem.start({});
  const stop = new AbortController();
  const server = newServer(1024, () => {});
  serveEvents(server, await system.server.as("channel-web"), stop.signal, limits);
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  const connections = () =>
    new Promise<number>((resolve, reject) =>
      server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
    );
  return {
    system,
    url: `${url}/v1/events`,
    port: Number(new URL(url).port),
    async hasConnections(count: number): Promise<void> {
      for (const end = performance.now() + 60_000; (await connections()) !== count; await delay(10))
        if (performance.now() > end) throw new Error(`${await connections()} connections, expected ${count}`);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await server.close();
      await system[Symbol.asyncDispose]();
    },
  };
}

test("a listener that doesn't read is closed, and hears the rest when it comes back", async () => {
  // Longer than this process, which listens as well, may be held up.
  await using web = await serving({ listeners: 8, unreadMs: 1000 });
  const deaf = connect(web.port, "127.0.0.1");
  deaf.on("error", () => {});
  deaf.write(`GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\n\r\n`);
  await new Promise((resolve) => deaf.once("data", resolve));
  deaf.pause();
  await web.hasConnections(1);
  for (let n = 0; n < 60; n++) await web.system.say(outbound(`m${n}`, "web", "x".repeat(200 * 1024)));
  await web.hasConnections(0);
  deaf.destroy();
  await using back = await EventReader.open(web.url, "", { "Last-Event-ID": "57" });
  expect((await back.next(3)).map(({ id }) => id)).toEqual(["58", "59", "60"]);
});

test("no more listen than may, and one who leaves makes room", async () => {
  await using web = await serving({ listeners: 1, unreadMs: 1000 });
  {
    await using _first = await EventReader.open(web.url, "");
    await using second = await EventReader.open(web.url, "");
    expect(second.status).toBe(503);
  }
  for (let status = 0; status !== 200; await delay(10)) {
    await using third = await EventReader.open(web.url, "");
    status = third.status;
  }
});

test("before there are streams whoever listens is told to try again", async () => {
  await using web = await serving({ listeners: 1, unreadMs: 1000 });
  const agents = await web.system.server.as("agents");
  await (await agents.manager()).streams.delete("CORTEX_OUT_web");
  await using early = await EventReader.open(web.url, "");
  expect(early.status).toBe(503);
});
