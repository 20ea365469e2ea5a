/**
 * Brings a run's events into the order of its file, whatever of them came over the bus. What is missing there, was cut for
 * it, or was more than a slow reader could take, is read from the file when it is the reader's turn to hear it.
 */
import type { NatsConnection } from "@nats-io/transport-node";
import { SerialQueue } from "../../files/locks/serial-queue.ts";
import { AgentEvent, isTerminal } from "../../protocol/runs/event.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { subjects } from "../../protocol/runs/subjects.ts";

/** Milliseconds after which the file is looked at again when the bus is silent. */
const lookMs = 2000;

/** How much waits for a slow reader who has the file, in characters. */
const maxWaiting = 8 * 1024 * 1024;

/** A run's file: its events from a line's number on, as far as they are there by now. */
export type RunFile = { events: (from: number) => AsyncIterable<AgentEvent> };

/** Opens the file of a run, where the caller has it. */
export type FileOf = (agentId: string) => RunFile;

/** Events that were heard and wait for a slow reader. */
class WaitingEvents {
  readonly #events: { event: AgentEvent; characters: number }[] = [];
  #characters = 0;

  get isFull(): boolean {
    return this.#characters > maxWaiting;
  }

  push(event: AgentEvent, characters: number): void {
    this.#events.push({ event, characters });
    this.#characters += characters;
  }

  shift(): AgentEvent | undefined {
    const { event, characters = 0 } = this.#events.shift() ?? {};
    this.#characters -= characters;
    return event;
  }
}

export class RunFeed {
  /** The terminal event: also for a caller who doesn't read the events. */
  readonly result: Promise<AgentEvent>;
  /** The file as the reader of the events reads it, and as it is looked through for the terminal event. */
  readonly #file: RunFile | undefined;
  readonly #lookedAt: RunFile | undefined;
  readonly #waiting = new WaitingEvents();
  /** The reader: the number of the next line, and whether the terminal event was read. */
  readonly #reader = { nextSeq: 1, isOver: false };
  /** The number behind the last line that came over the bus, or was found in the file. */
  #seenSeq = 1;
  /** Whether the file may have lines that the reader lacks and that don't wait for him. */
  #isBehind = false;
  #last: AgentEvent | null = null;
  #isClosed = false;
  readonly #looks = new SerialQueue();
  readonly #sources = new DisposableStack();
  #wake = () => {};
  #resolve: (event: AgentEvent) => void = () => {};

  constructor(connection: NatsConnection, agentId: string, fileOf?: FileOf) {
    this.#file = fileOf?.(agentId);
    this.#lookedAt = fileOf?.(agentId);
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const subscription = connection.subscribe(subjects.events(agentId), {
      callback: (_, message) => this.#hearLine(message.string()),
    });
    this.#sources.defer(() => subscription.unsubscribe());
    // Unheld: a caller who has closed the connection without reading to the end is free to leave.
    this.#sources.use(setInterval(() => void this.#lookInFile(), lookMs).unref());
  }

  /** The run's events, to its terminal event. To be read once. */
  async *events(): AsyncGenerator<AgentEvent> {
    for (;;) {
      if (this.#reader.isOver) return this.close();
      const heard = this.#waiting.shift();
      if (heard) {
        yield* this.#inOrder(heard);
      } else if (this.#isBehind) {
        this.#isBehind = false;
        yield* this.#fromFile(Infinity);
      } else if (this.#last) {
        yield* this.#inOrder(this.#last);
        return this.close();
      } else if (this.#isClosed) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#wake();
  }

  #stop(): void {
    this.#sources.dispose();
  }

  /** An event that was heard, behind what is missing before it. What was cut for the bus stands in the file as it was. */
  async *#inOrder(event: AgentEvent): AsyncGenerator<AgentEvent> {
    if (event.seq === undefined) return yield event; // `text_delta` has no place in the file
    if (event.seq > this.#reader.nextSeq || event["truncated"] === true) yield* this.#fromFile(event.seq + 1);
    if (event.seq >= this.#reader.nextSeq) yield this.#told(event);
  }

  /** Lines of the file, up to a number or the terminal event. Of a file that can't be read there are none: the bus may have them. */
  async *#fromFile(before: number): AsyncGenerator<AgentEvent> {
    if (!this.#file || this.#reader.nextSeq >= before) return;
    try {
      for await (const event of this.#file.events(this.#reader.nextSeq)) {
        if (event.seq >= before || this.#reader.isOver) return;
        if (event.seq < this.#reader.nextSeq) continue;
        this.#see(event);
        yield this.#told(event);
      }
    } catch {
      // A reader's own failures aren't heard here.
    }
  }

  #told(event: AgentEvent): AgentEvent {
    this.#reader.nextSeq = event.seq + 1;
    this.#reader.isOver ||= isTerminal(event);
    return event;
  }

  #hearLine(text: string): void {
    const value: unknown = parseOwnJson(text);
    const event = AgentEvent.safeParse(value).data;
    if (!event) return this.#pass(value, text.length);
    this.#give(event, text.length);
    const isCut = event["truncated"] === true && isTerminal(event);
    if (isCut) void this.#lookInFile().then(() => this.#see(event));
    else this.#see(event);
  }

  #pass(value: unknown, characters: number): void {
    const delta = AgentEvent.omit({ seq: true }).safeParse(value);
    if (delta.success && !this.#last) this.#give(delta.data as AgentEvent, characters);
  }

  #give(event: AgentEvent, characters: number): void {
    if (this.#file && this.#waiting.isFull) this.#isBehind = true;
    else this.#waiting.push(event, characters);
    this.#wake();
  }

  /** Notes that an event is there, and the terminal event for those who wait for it alone. */
  #see(event: AgentEvent): void {
    this.#seenSeq = Math.max(this.#seenSeq, event.seq + 1);
    if (this.#last || !isTerminal(event)) return;
    this.#last = event;
    this.#resolve(event);
    this.#stop();
    this.#wake();
  }

  /** Looks for what the bus didn't bring, the terminal event above all. One look after the other. */
  #lookInFile(): Promise<void> {
    return this.#looks.run(() => this.#lookOnce());
  }

  async #lookOnce(): Promise<void> {
    if (!this.#lookedAt || this.#isClosed || this.#last) return;
    try {
      for await (const event of this.#lookedAt.events(this.#seenSeq)) {
        if (this.#isClosed || this.#last) break;
        if (event.seq < this.#seenSeq) continue;
        this.#isBehind = true;
        this.#see(event);
      }
    } catch {
      // A file that can't be read says nothing: the bus may.
    }
    this.#wake();
  }
}
