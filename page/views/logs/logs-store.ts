/** The last lines of the logs, and those that come. It listens first and reads then, so none is missed and none shown twice. */
import { signal } from "@preact/signals";
import { answered, client } from "../../api/client.ts";
import { EventStream, type StreamEvent } from "../../live/event-stream.ts";
import type { LogLine } from "./log-filters.ts";

/** Lines that are read at first: as many as the server gives. */
const firstLines = 2000;
/** More than this aren't kept while the end is followed. */
const mostLines = 6000;
/** They are shown at most so often, in ms. */
const calmMs = 100;

/** A line with a number of its own, by which it is known while it is shown. */
export type NumberedLine = LogLine & { number: number };

export class LogsStore {
  /** Null: not read yet. */
  readonly lines = signal<readonly NumberedLine[] | null>(null);
  readonly problem = signal<unknown>(null);
  readonly isCutOff = signal(false);
  /** Whether the last line is in view: older ones may go. */
  isFollowed = true;

  readonly #query: Record<string, string>;
  readonly #stream: EventStream;
  readonly #closed = new AbortController();
  #fresh: LogLine[] = [];
  #count = 0;
  #isRead = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(query: Record<string, string>) {
    this.#query = query;
    let isFirst = true;
    this.#stream = new EventStream({
      path: `/api/v1/logs/live?${new URLSearchParams(query)}`,
      onEvents: (events) => this.#takeEvents(events),
      onState: ({ kind }) => {
        this.isCutOff.value = kind === "cut off";
        if (kind === "connecting" || !isFirst) return;
        isFirst = false;
        void this.read();
      },
      onGap: () => void this.read(),
    });
  }

  close(): void {
    this.#stream[Symbol.dispose]();
    this.#closed.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Reads the last lines. Those that came meanwhile are among them, or behind. */
  async read(): Promise<void> {
    this.#isRead = false;
    this.#fresh = [];
    try {
      const query = { ...this.#query, limit: firstLines };
      const { items } = await answered(client.GET("/api/v1/logs", { params: { query }, signal: this.#closed.signal }));
      const known = new Set(items.map(keyOf));
      this.#fresh = this.#fresh.filter((line) => !known.has(keyOf(line)));
      this.lines.value = items.map((line) => this.#numbered(line));
      this.#isRead = true;
      this.problem.value = null;
      this.#show();
    } catch (error) {
      if (!this.#closed.signal.aborted) this.problem.value = error;
    }
  }

  #takeEvents(events: readonly StreamEvent[]): void {
    for (const { event, data } of events) if (event === "log") this.#fresh.push(data as LogLine);
    if (this.#isRead) this.#timer ??= setTimeout(() => this.#show(), calmMs);
  }

  #show(): void {
    this.#timer = null;
    if (this.#fresh.length === 0) return;
    const all = [...(this.lines.value ?? []), ...this.#fresh.map((line) => this.#numbered(line))];
    this.#fresh = [];
    this.lines.value = this.isFollowed && all.length > mostLines ? all.slice(-mostLines) : all;
  }

  readonly #numbered = (line: LogLine): NumberedLine => ({ ...line, number: this.#count++ });
}

const keyOf = ({ program, time, text, fields }: LogLine) => JSON.stringify([program, time, text, fields]);
