import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Bus } from "../../../bus/connection/connect.ts";
import { hasStoredEvents, type TailFile, tailEvents } from "../../../bus/events/event-tail.ts";
import { EventPublisher } from "../../../bus/events/events.ts";
import { eventStream } from "../../../bus/jetstream/streams.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { BusServer } from "../bus-server.ts";
import { patienceMs } from "../../support/patience.ts";

let server: BusServer;
let client: Bus;
let cortex: Bus;
beforeAll(async () => {
  server = await BusServer.start();
  [client, cortex] = await Promise.all([server.as("client"), server.as("cortex")]);
});
afterAll(() => server[Symbol.asyncDispose]());

let lastId = 1736380800000;

/** A run as its worker publishes it. */
class Run {
  readonly id = String(++lastId);
  readonly events: AgentEvent[] = [];
  readonly #publisher = new EventPublisher(cortex);

  async say(count: number, fields: Record<string, unknown> = {}): Promise<void> {
    for (let said = 0; said < count; said++) await this.#add({ event: "text", ...fields });
    await this.#publisher.confirmed(this.id);
  }

  finish(): Promise<void> {
    return this.say(1, { event: "finish", result: "done" });
  }

  /** Something that stands in no file. */
  pass(): void {
    this.#publisher.publishPassing(this.id, { event: "text_delta", ts: 1, agent_id: this.id, text: "d" }, 0);
  }

  async #add(fields: Record<string, unknown>): Promise<void> {
    const event = { ts: 1, agent_id: this.id, seq: this.events.length + 1, ...fields } as AgentEvent;
    this.events.push(event);
    this.#publisher.publish(event, JSON.stringify(event));
    await this.#publisher.paced();
  }

  /** As though its lines stood on this host. */
  file(state: () => "absent" | "active" | "ended"): TailFile {
    return {
      lines: (from) => linesOf(this.events, from),
      state,
    };
  }

  numbers(from = 1): number[] {
    return this.events.map(({ seq }) => seq).filter((seq) => seq >= from);
  }
}

async function* linesOf(events: readonly AgentEvent[], from: number) {
  for (const event of events) if (event.seq >= from) yield { event, line: JSON.stringify(event) };
}

const nowhere: TailFile = { lines: () => linesOf([], 1), state: () => "absent" };

/** Reads as a reader: the numbers of the lines, and what is said to be missing. */
async function read(run: Run, from = 0, file = nowhere) {
  const got: (number | string)[] = [];
  for await (const news of tailEvents(client, run.id, from, file))
    got.push("missing" in news ? `${news.missing.from}-${news.missing.to - 1}` : news.event.seq);
  return got;
}

test.concurrent("a run is read from any line on, from before its begin to its terminal event, whatever passes in between", async () => {
  const run = new Run();
  await run.say(3);
  const reading = [0, 1, 5].map((from) => read(run, from));
  for (let round = 0; round < 20; round++) {
    run.pass();
    await run.say(5);
  }
  await run.finish();
  expect(await Promise.all(reading)).toEqual([run.numbers(), run.numbers(), run.numbers(5)]);
  expect(await read(run, 100)).toEqual(run.numbers(100));
});

test.concurrent("a reader that hardly reads gets all of it, and the server holds nothing back for it", async () => {
  const run = new Run();
  await run.say(1);
  const bus = await server.as("client");
  const tail = tailEvents(bus, run.id, 0, nowhere);
  const got = [await tail.next()];
  const before = bus.connection.stats().inMsgs;
  await run.say(500, { text: "x".repeat(2000) });
  await bus.connection.flush();
  expect(bus.connection.stats().inMsgs - before).toBeLessThan(3);
  await run.finish();
  for (let news = await tail.next(); news.done !== true; news = await tail.next()) got.push(news);
  expect(got.map(({ value }) => value.event.seq)).toEqual(run.numbers());
});

test.concurrent("a discarded event is reported missing, or comes from the file where there is one", async () => {
  const run = new Run();
  await run.say(20);
  await run.finish();
  const manager = await cortex.manager();
  const at = await manager.direct.getMessage(eventStream, { next_by_subj: `cortex.event.${run.id}.>`, seq: 1 });
  await manager.streams.purge(eventStream, { filter: `cortex.event.${run.id}.>`, seq: (at?.seq ?? 0) + 7 });
  const [first, ...rest] = await read(run, 3);
  const kept = rest[0] as number;
  expect(kept).toBeGreaterThan(3);
  expect([first, ...rest]).toEqual([`3-${kept - 1}`, ...run.numbers(kept)]);
  expect(
    await read(
      run,
      3,
      run.file(() => "ended"),
    ),
  ).toEqual(run.numbers(3));
  await manager.streams.purge(eventStream, { filter: `cortex.event.${run.id}.>` });
  expect(
    await read(
      run,
      3,
      run.file(() => "ended"),
    ),
  ).toEqual(run.numbers(3));
  expect(await hasStoredEvents(client, run.id)).toBe(false);
});

test.concurrent("an event cut for the bus comes whole from the file, and cut where there is none", async () => {
  const run = new Run();
  await run.say(1, { text: "x".repeat(2 * 1024 * 1024) });
  await run.finish();
  const lengths: number[] = [];
  for (const file of [nowhere, run.file(() => "absent")])
    for await (const news of tailEvents(client, run.id, 0, file)) lengths.push("line" in news ? news.line.length : 0);
  expect(lengths[0]).toBeLessThan(1024 * 1024);
  expect(lengths[2]).toBe(JSON.stringify(run.events[0]).length);
});

test("a server that is killed in between costs nothing, and repeats nothing", async () => {
  await using other = await BusServer.start();
  const [reader, worker] = await Promise.all([other.as("client"), other.as("cortex")]);
  const [id, publisher] = [String(++lastId), new EventPublisher(worker)];
  const events = Array.from({ length: 60 }, (_, index) => ({ event: "text", ts: 1, agent_id: id, seq: index + 1 }));
  events.push({ event: "finish", ts: 1, agent_id: id, seq: 61 });
  await publisher.catchUp(id, (from) => linesOf(events.slice(0, 20), from));
  const got: number[] = [];
  const reading = (async () => {
    for await (const news of tailEvents(reader, id, 0, nowhere)) if ("event" in news) got.push(news.event.seq);
  })();
  await vi.waitUntil(() => got.length === 20, { timeout: patienceMs });
  await other.killAndRestart(worker);
  for (let end = 40; end <= 61; end += 21)
    await vi.waitUntil(() => publisher.catchUp(id, (from) => linesOf(events.slice(0, end), from)).catch(() => false), {
      timeout: patienceMs,
    });
  await reading;
  expect(got).toEqual(events.map(({ seq }) => seq));
});
