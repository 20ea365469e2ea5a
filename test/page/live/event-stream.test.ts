/** The live stream against a server that breaks off, refuses, and goes away. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { keptConnections } from "../../support/network/kept-connections.ts";
import { EventStream, type StreamEvent, type StreamState } from "../../../page/live/event-stream.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers the first request with the first answer, and so on; the last one stays. */
const served = (...answers: Answer[]) => servedTo({}, ...answers);

async function servedTo(options: { isToCome?: boolean }, ...answers: Answer[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer(keptConnections, (request, response) => {
    asked.push(request.headers["last-event-id"] as string | undefined);
    (answers[Math.min(asked.length, answers.length) - 1] as Answer)(response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const events: StreamEvent[] = [];
  const states: StreamState["kind"][] = [];
  let gaps = 0;
  const stream = new EventStream({
    path: `http://127.0.0.1:${port}/`,
    onEvents: (heard) => events.push(...heard),
    onState: ({ kind }) => states.push(kind),
    onGap: () => gaps++,
    ...options,
  });
  return {
    asked,
    events,
    states,
    gaps: () => gaps,
    stream,
    [Symbol.asyncDispose]: async () => {
      stream[Symbol.dispose]();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const sends =
  (text: string, then: "stay" | "break", headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream", ...headers });
    response.write(text, () => then === "break" && response.destroy());
  };
const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code).end();

const event = (id: number) => `id: ${id}\nevent: run.changed\ndata: {"n":${id}}\n\n`;

test("a stream that breaks goes on behind the last event, through refusals that pass", async () => {
  await using server = await served(
    sends(
      `: listening\n\n${event(1)}${event(2)}event: run.changed\ndata: {"n":2.5}\n\nevent: x\ndata: {no\n\n`,
      "break",
    ),
    status(503),
    status(429),
    sends(event(3), "stay"),
  );
  await expect.poll(() => server.events.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 2.5 }, { n: 3 }]);
  expect(server.asked).toEqual([undefined, "2", "2", "2"]);
  expect(server.states).toEqual(["connecting", "live", "cut off", "cut off", "cut off", "live"]);
  expect(server.gaps()).toBe(0);
});

test("a stream of what isn't there yet is tried again until it is; of anything else 404 is the end", async () => {
  await using early = await servedTo({ isToCome: true }, status(404), status(404), sends(event(1), "stay"));
  await expect.poll(() => early.events.map(({ data }) => data)).toEqual([{ n: 1 }]);
  expect(early.states).toEqual(["connecting", "cut off", "cut off", "live"]);
  await using never = await servedTo({ isToCome: true }, status(403));
  await expect.poll(() => never.states).toEqual(["connecting", "refused"]);
  await using gone = await served(status(404));
  await expect.poll(() => gone.states).toEqual(["connecting", "refused"]);
});

test("a stream that broke before any event had an id tells of the gap, unless the server said where it began", async () => {
  await using silent = await served(sends(": listening\n\n", "break"), sends(event(9), "stay"));
  await expect.poll(() => silent.events.length).toBe(1);
  expect([silent.gaps(), silent.asked]).toEqual([1, [undefined, undefined]]);
  const placed = { "Last-Event-ID": "7" };
  await using told = await served(sends(": listening\n\n", "break", placed), sends(event(9), "stay"));
  await expect.poll(() => told.events.length).toBe(1);
  expect([told.gaps(), told.asked]).toEqual([0, [undefined, "7"]]);
});

test("a stream that is refused isn't asked for again", async () => {
  await using server = await served(status(403));
  await expect.poll(() => server.states).toEqual(["connecting", "refused"]);
  server.stream.tryNow();
  expect(server.asked.length).toBe(1);
});
