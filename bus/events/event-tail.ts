/**
 * A run's events as the bus has them, from any line on, and live until its terminal event. A client may look up message by
 * message and nothing else; so it asks for the next one when it has use for it. However slowly it reads, the server holds
 * nothing back for it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { errors } from "@nats-io/transport-node";
import { AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { subjects } from "../../protocol/runs/subjects.ts";
import type { Bus } from "../connection/connect.ts";
import { epochOf } from "./event-message.ts";
import { EventOrder, type Gap, type HeardEvent } from "./event-order.ts";
import type { RunFile } from "./run-feed.ts";
import { mayPass, onceLed } from "../connection/leader.ts";
import { eventStream } from "../jetstream/streams.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** How far is read ahead, in characters: far enough to see what was said in vain when a run changed hands. */
const aheadCharacters = 4 * 1024 * 1024;

/**
 * Milliseconds for which a missing line may still come: longer than it takes until what the stream lost is published
 * again.
 */
const patienceMs = 10_000;

/** Milliseconds after which the stream is looked at again when nothing was heard of it. */
const lookMs = 1000;

/** A line of the run, or the lines that neither the bus nor a file has. */
export type TailNews = { line: string; event: AgentEvent } | { missing: Gap };

/** The run's file, where the reader has it: what the bus lost or cut is taken from there. */
export type TailFile = {
  lines: (from: number) => AsyncIterable<{ line: string; event: AgentEvent }>;
  state: () => "absent" | "active" | "ended";
};

/** Whether the bus has anything of a run. @throws Error when it doesn't answer */
export async function hasStoredEvents(bus: Bus, agentId: string): Promise<boolean> {
  return (await messageFrom(bus, subjects.events(agentId), 1)) !== null;
}

/**
 * Yields each line from a number on, once and in the order of the file, until the run has ended. While the bus is away it waits.
 * @throws Error when the connection was closed, or the bus has no such stream
 */
export async function* tailEvents(bus: Bus, agentId: string, from: number, file: TailFile): AsyncGenerator<TailNews> {
  const order = new EventOrder(Math.max(from, 1));
  using news = new News(bus, agentId);
  let hasEnded = false;
  let isFirst = true;
  let missedSince: number | null = null;
  for (;;) {
    const isFull = order.size > aheadCharacters;
    const message = isFull ? null : await messageFrom(bus, subjects.events(agentId), news.position + 1);
    if (message) {
      news.position = message.position;
      if (message.heard) order.add(message.heard);
      continue;
    }
    for (let found = order.takeNext(); found; found = order.takeNext()) {
      [isFirst, missedSince] = [false, null];
      hasEnded ||= isTerminal(found.event);
      yield await whole(found, file);
    }
    const gap = order.gap();
    if (gap) {
      missedSince ??= performance.now();
      // What the stream doesn't have at its begin has aged out of it. What is missing in its middle may still come.
      const isLost = isFirst || isFull || performance.now() - missedSince > patienceMs;
      let next = gap.from;
      for await (const known of linesBetween(file, gap)) {
        next = known.event.seq + 1;
        yield known;
      }
      order.skipTo(next);
      if (next < gap.to && isLost) yield { missing: { from: next, to: gap.to } };
      if (next >= gap.to || isLost) {
        order.skipTo(gap.to);
        [isFirst, missedSince] = [false, null];
        continue;
      }
    }
    if (isFull) continue;
    if (file.state() === "ended") return yield* linesBetween(file, { from: order.next, to: Infinity });
    // Where no file says so, what comes after the terminal event (that it was saved, or handed on) has this long.
    if ((await news.next()) === "nothing" && hasEnded && !gap && file.state() === "absent") return;
  }
}

type Message = { position: number; heard: HeardEvent | null };

/**
 * A run's end as the bus has it by now, for who lacks the run's file: what is said while their connection is away is lost to them.
 * While it is away there is none.
 */
export const storedEnd = (bus: Bus, agentId: string): RunFile => ({
  async *events(from) {
    for (const kind of ["finish", "error"])
      for (let position = 1; bus.isConnected; ) {
        const message = await messageFrom(bus, subjects.event(agentId, kind), position);
        if (!message) break;
        position = message.position + 1;
        const event = message.heard?.event;
        if (!event || !isTerminal(event) || event.seq < from) continue;
        yield event;
        return;
      }
  },
});

/** The first message of a subject from a position of the stream on; null: there is none yet. */
async function messageFrom(bus: Bus, subject: string, position: number): Promise<Message | null> {
  const { direct } = await bus.manager();
  const query = { seq: position, next_by_subj: subject };
  for (;;)
    try {
      const message = await onceLed(() => direct.getMessage(eventStream, query));
      if (!message) return null;
      const line = message.string();
      // `text_delta` has no number: it stands in no file.
      const event = AgentEvent.safeParse(parseOwnJson(line)).data;
      return { position: message.seq, heard: event ? { event, line, epoch: epochOf(message.header) } : null };
    } catch (error) {
      const isAway = mayPass(error) || error instanceof errors.RequestError;
      if (!isAway || bus.connection.isClosed() || bus.isConnected) throw error;
      await delay(lookMs);
    }
}

/** Reads a line that was cut for the bus as it stands in the file. */
async function whole({ line, event }: HeardEvent, file: TailFile): Promise<{ line: string; event: AgentEvent }> {
  if (event["truncated"] !== true) return { line, event };
  for await (const found of linesBetween(file, { from: event.seq, to: event.seq + 1 })) return found;
  return { line, event };
}

/** The lines of the file from a number up to, not including, another. */
async function* linesBetween(file: TailFile, { from, to }: Gap): AsyncGenerator<{ line: string; event: AgentEvent }> {
  for await (const found of file.lines(from)) {
    if (found.event.seq >= to) return;
    if (found.event.seq >= from) yield found;
  }
}

/** Hears that there is something new of a run, and nothing of what it is: one message, then no more until it is asked again. */
class News implements Disposable {
  /** Up to where the stream has been read. */
  position = 0;
  readonly #bus: Bus;
  readonly #agentId: string;
  readonly #reconnecting: Disposable;
  #stop: (() => void) | null = null;
  #wake: (what: "news" | "nothing") => void = () => {};

  constructor(bus: Bus, agentId: string) {
    this.#bus = bus;
    this.#agentId = agentId;
    // It may have lost what it had, and use its numbers again. What comes once more is known by its own.
    this.#reconnecting = bus.onReconnect(() => {
      this.position = 0;
      this.#wake("news");
    });
  }

  /** Waits until there may be something new; not for long. The first time it only begins to listen, and has to be asked again. */
  async next(): Promise<"news" | "nothing"> {
    if (!this.#stop) {
      await this.#listen();
      return "news";
    }
    let timer: NodeJS.Timeout | undefined;
    const what = await new Promise<"news" | "nothing">((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(() => resolve("nothing"), lookMs);
    });
    clearTimeout(timer);
    return what;
  }

  async #listen(): Promise<void> {
    const { connection } = this.#bus;
    const subscription = connection.subscribe(subjects.events(this.#agentId), {
      max: 1,
      callback: () => {
        this.#stop = null;
        this.#wake("news");
      },
    });
    this.#stop = () => subscription.unsubscribe();
    await connection.flush().catch(() => {}); // the bus is away: it comes back, or the next look says so
  }

  [Symbol.dispose](): void {
    this.#reconnecting[Symbol.dispose]();
    this.#stop?.();
  }
}
