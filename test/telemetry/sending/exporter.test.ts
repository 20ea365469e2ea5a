import { describe, expect, test } from "vitest";
import type { FedEvent } from "../../../bus/events/event-feed.ts";
import type { AgentEvent } from "../../../protocol/runs/event.ts";
import { Exporter } from "../../../telemetry/sending/exporter.ts";
import {
  moveToStream,
  KeptTelemetry,
  newAfterLoss,
  newTelemetry,
  type Outgoing,
} from "../../../telemetry/sending/kept-telemetry.ts";
import { pointsIn, spansIn } from "../../support/otlp/read-otlp.ts";
import { begun, eventsOf, recorded, runId } from "../spans/mapped.ts";

const now = 1795890090000;
/** The id of a run a minute ago: what is older by days isn't waited for any more. */
const recentId = "1795890029000";

/** A program whose disk and receiver are a test's: it can be killed at each step. */
class PlayedProgram {
  /** The document on the disk. */
  disk: string;
  readonly taken: Outgoing[] = [];
  clock = now;
  /** Steps, saves and deliveries, until it is killed. */
  stepsLeft = Number.POSITIVE_INFINITY;
  isDiskFull = false;
  /** Done while the receiver has a body, before it answers. */
  meanwhile = () => {};
  /** Whether the receiver takes the last delivery, whose answer is lost by the kill. */
  isTakenAtKill = false;
  /** The body that was taken and not noted as taken when it was killed. */
  unnoted: Outgoing | null = null;

  constructor(kept: KeptTelemetry = newTelemetry("journal-1", now)) {
    this.disk = JSON.stringify(kept);
  }

  get kept(): KeptTelemetry {
    return KeptTelemetry.parse(JSON.parse(this.disk));
  }

  start(content = false): Exporter {
    return new Exporter({
      kept: this.kept,
      content,
      version: "1.2.3",
      now: () => this.clock,
      log: { info: () => {}, warn: () => {} },
      save: async (kept) => {
        const text = JSON.stringify(kept);
        if (this.isDiskFull) throw new Error("no space left on device");
        this.#step();
        this.disk = text;
        this.unnoted = null;
      },
      deliver: async (outgoing) => {
        this.meanwhile();
        const isKilled = this.stepsLeft <= 1;
        if (!isKilled || this.isTakenAtKill) {
          this.unnoted = outgoing;
          this.taken.push(outgoing);
        }
        this.#step();
        return true;
      },
    });
  }

  get spans() {
    return this.taken.flatMap(({ path, body }) => (path === "v1/traces" ? spansIn(JSON.parse(body)) : []));
  }

  get points() {
    const last = this.taken.findLast(({ path }) => path === "v1/metrics");
    return last ? pointsIn(JSON.parse(last.body)) : [];
  }

  #step(): void {
    if (--this.stepsLeft <= 0) throw new Error("killed");
  }
}

const stream = { stream: "2026-01-01", last: 1_000_000 };

const fed = (events: readonly AgentEvent[], from = 0): FedEvent[] =>
  events.map((event, index) => ({
    agentId: event.agent_id,
    epoch: 1,
    position: from + index + 1,
    read: () => ({ event, line: JSON.stringify(event) }),
  }));

/** Reads the stream from where the program stopped, and sends after every so many events. */
async function readOn(exporter: Exporter, events: readonly FedEvent[], every = 3): Promise<void> {
  await exporter.flush();
  exporter.moveToStream(stream);
  for (const [index, event] of events.filter(({ position }) => position > exporter.position).entries()) {
    exporter.addEvent(event);
    if (index % every === every - 1) await exporter.flush();
  }
  await exporter.flush();
}

const manyRuns = (): AgentEvent[] =>
  [...recorded("offline"), ...recorded("refused")].concat(
    eventsOf(
      [
        ...begun,
        { event: "usage", at: 300, model: "m-1", input_tokens: 812, output_tokens: 64, cost_usd: 0.25 },
        { event: "finish", at: 900, result: "done" },
      ],
      recentId,
    ),
  );

describe("a program that is killed at any step and started again", () => {
  const events = fed(manyRuns());
  const undisturbed = async () => {
    const program = new PlayedProgram();
    await readOn(program.start(), events);
    return program;
  };

  test.each([false, true])(
    "sends each span, with the same id, and counts everything once (taken at the kill: %s)",
    async (isTaken) => {
      const whole = await undisturbed();
      let kills = 0;
      for (let steps = 1; ; steps++) {
        const program = new PlayedProgram();
        program.stepsLeft = steps;
        program.isTakenAtKill = isTaken;
        const died = await readOn(program.start(), events).then(
          () => false,
          () => true,
        );
        if (!died) break;
        kills++;
        program.stepsLeft = Number.POSITIVE_INFINITY;
        const { unnoted } = program;
        await readOn(program.start(), events);
        const ids = program.spans.map(({ spanId }) => spanId);
        expect([...new Set(ids)]).toEqual(whole.spans.map(({ spanId }) => spanId));
        // Twice only what was taken and not noted as taken; and then it is the same, byte for byte.
        const bodies = program.taken.map(({ body }) => body);
        const twice = bodies.filter((body, index) => bodies.indexOf(body) < index);
        expect(twice).toEqual(unnoted === null ? [] : [unnoted.body]);
        const plain = ({ points }: PlayedProgram) =>
          points.map(({ metric, attributes, count, sum }) => [metric, attributes, count, sum]);
        expect(plain(program)).toEqual(plain(whole));
      }
      expect(kills).toBeGreaterThan(10);
    },
  );
});

test("what isn't answered keeps its place, and what ends meanwhile follows", async () => {
  const program = new PlayedProgram();
  const events = fed(manyRuns());
  const exporter = program.start();
  await exporter.flush();
  exporter.moveToStream(stream);
  for (const event of events) exporter.addEvent(event);
  program.stepsLeft = 2;
  await expect(exporter.flush()).rejects.toThrow("killed");
  const { outgoing, position } = program.kept;
  expect(outgoing.map(({ path }) => path)).toEqual(["v1/traces", "v1/metrics"]);
  expect(position).toBe(events.length);
});

test("an event that comes while a batch is sent is read again after a kill: only the batch's place is noted", async () => {
  const program = new PlayedProgram();
  const exporter = program.start();
  exporter.moveToStream(stream);
  const [last, ...before] = fed(manyRuns()).toReversed();
  for (const event of before.toReversed()) exporter.addEvent(event);
  program.meanwhile = () => {
    program.meanwhile = () => {};
    if (last) exporter.addEvent(last);
  };
  await exporter.flush();
  expect(exporter.position).toBe(before.length + 1);
  expect(program.kept).toMatchObject({ position: before.length, outgoing: [] });
  await readOn(program.start(), fed(manyRuns()));
  expect(program.spans.at(-1)?.name).toBe("invoke_agent reviewer");
});

test("a disk that takes nothing holds a batch back, and nothing of it is lost", async () => {
  const program = new PlayedProgram();
  const exporter = program.start();
  await exporter.flush();
  program.isDiskFull = true;
  exporter.moveToStream(stream);
  for (const event of fed(manyRuns())) exporter.addEvent(event);
  await expect(exporter.flush()).rejects.toThrow("no space left");
  await expect(exporter.flush()).rejects.toThrow("no space left");
  expect(program.taken).toEqual([]);
  program.isDiskFull = false;
  await exporter.flush();
  expect(program.spans.filter(({ name }) => name.startsWith("invoke_agent"))).toHaveLength(3);
  expect(program.kept).toMatchObject({ outgoing: [], position: manyRuns().length });
});

test("totals are sent again once a minute, though nothing happens", async () => {
  const program = new PlayedProgram();
  const exporter = program.start();
  await exporter.flush();
  expect(program.taken).toEqual([]);
  await readOn(exporter, fed(manyRuns()), 1000);
  const before = program.taken.length;
  await exporter.flush();
  program.clock += 59_000;
  await exporter.flush();
  expect(program.taken).toHaveLength(before);
  program.clock += 1000;
  await exporter.flush();
  expect(program.taken.slice(before).map(({ path }) => path)).toEqual(["v1/metrics"]);
});

describe("a stream that was lost and filled again", () => {
  const events = manyRuns();

  test("tells of no run that was told of before, and of every run that begins now", async () => {
    const program = new PlayedProgram();
    await readOn(program.start(), fed(events));
    const before = program.spans.length;
    // As if more had ended since than are remembered one by one.
    program.disk = JSON.stringify({ ...program.kept, mapper: { ...program.kept.mapper, ended: [] } });
    const later = eventsOf([...begun, { event: "finish", at: 5, result: "" }], "1795890099000");
    const exporter = program.start();
    exporter.moveToStream({ stream: "another", last: 40 });
    expect(exporter.position).toBe(0);
    for (const event of fed([...events, ...later])) exporter.addEvent(event);
    await exporter.flush();
    expect(program.spans.slice(before).map(({ name }) => name)).toEqual(["invoke_agent reviewer"]);
  });

  test.each([
    ["another one", { stream: "another", last: 100 }, 0],
    ["one that is shorter", { stream: "first", last: 6 }, 0],
    ["the same", { stream: "first", last: 7 }, 7],
  ])("is %s", (_, found, position) => {
    const kept = { ...newTelemetry("journal-1", now), stream: "first", position: 7 };
    moveToStream(kept, found, now);
    expect([kept.stream, kept.position]).toEqual([found.stream, position]);
  });
});

test("where nobody knows any more what was sent, runs of before aren't told of", async () => {
  const program = new PlayedProgram(newAfterLoss("journal-1", now));
  const later = eventsOf([...begun, { event: "finish", at: 5, result: "" }], "1795890099000");
  await readOn(program.start(), fed([...manyRuns(), ...later]));
  expect(program.spans.map(({ name }) => name)).toEqual(["invoke_agent reviewer"]);
});

test("content that isn't to be sent any more is gone from what was kept", async () => {
  const program = new PlayedProgram();
  const events = fed(eventsOf([...begun, { event: "usage", at: 200, model: "m-1" }], recentId));
  const first = program.start(true);
  first.moveToStream(stream);
  for (const event of events) first.addEvent(event);
  program.stepsLeft = 2;
  await expect(first.flush()).rejects.toThrow("killed");
  expect(program.disk).toContain("hello");
  expect(program.kept.outgoing.map(({ content }) => content)).toEqual([true, false]);
  program.stepsLeft = Number.POSITIVE_INFINITY;
  const end = fed(
    eventsOf([...begun, { event: "usage", at: 200 }, { event: "finish", at: 900, result: "bye" }], recentId),
  ).slice(3);
  await readOn(program.start(false), end);
  expect(program.disk).not.toContain("hello");
  expect(program.spans.map(({ name }) => name)).toEqual(["invoke_agent reviewer"]);
  expect(program.taken.map(({ body }) => body).join()).not.toMatch(/hello|bye/);
});

describe("a batch is full", () => {
  const call = (seq: number, result: string): AgentEvent => {
    const of = { ts: Number(runId) + seq, agent_id: runId, seq };
    return { event: "tool_end", ...of, tool: "read", call_id: `c${seq}`, result };
  };
  /** The calls with such a result that a batch has room for, of so many. */
  const roomFor = (result: string, most: number): number => {
    const exporter = new PlayedProgram().start(true);
    for (const event of fed(eventsOf(begun))) exporter.addEvent(event);
    for (let calls = 1; calls <= most; calls++) {
      for (const event of fed([call(calls + 2, result)], calls + 2)) exporter.addEvent(event);
      if (exporter.isFull) return calls;
    }
    return Number.POSITIVE_INFINITY;
  };

  test("by its spans", () => expect(roomFor("x", 1000)).toBe(512));

  test("by what they say", () => expect(roomFor("x".repeat(32_000), 100)).toBeLessThan(100));
});

test("a position far behind the last that was kept is kept, although nothing has ended", async () => {
  const program = new PlayedProgram();
  const exporter = program.start();
  await exporter.flush();
  exporter.moveToStream(stream);
  const ofNothing = (position: number) => ({ position, epoch: 1, read: () => null });
  for (let position = 1; position < 20_000; position++) exporter.addEvent(ofNothing(position));
  expect(exporter.isFull).toBe(false);
  await exporter.flush();
  expect(program.kept.position).toBe(0);
  exporter.addEvent(ofNothing(20_000));
  expect(exporter.isFull).toBe(true);
  await exporter.flush();
  expect(exporter.isFull).toBe(false);
  expect(program.kept).toMatchObject({ position: 20_000, outgoing: [] });
  expect(program.taken).toEqual([]);
});
