/**
 * Server-sent events of one address, over breaks of the connection: behind the last one heard, in order and none twice. By fetch
 * rather than EventSource, which gives up at the first 503, and hears no heartbeats.
 */
import { createParser } from "eventsource-parser";

export type StreamEvent = { id: string | undefined; event: string; data: unknown };

export type StreamState =
  | { kind: "connecting" }
  | { kind: "live" }
  | { kind: "cut off"; since: number; nextTryAt: number }
  /** The server says no: 401, 403 and the like. It isn't tried again. */
  | { kind: "refused"; status: number };

export type StreamOptions = {
  path: string;
  /** All that one piece of the connection has brought. */
  onEvents: (events: StreamEvent[]) => void;
  onState: (state: StreamState) => void;
  /** Tells of a break: what came during it is lost, since no event had an id yet. */
  onGap: () => void;
  /** Whether it may be of something that isn't there yet: then 404 is tried again. */
  isToCome?: boolean;
};

/** Between tries: short ones first, since a server that is started again is there within seconds. In ms. */
const waits = [100, 250, 500, 1000, 2000, 4000];

/** The server's heart beats every 15 s: three that are missing are a broken connection. */
const silenceMs = 45_000;

export class EventStream implements Disposable {
  readonly #options: StreamOptions;
  readonly #ended = new AbortController();
  #lastId: string | undefined;
  #wasLive = false;
  #cutOffAt: number | null = null;
  #hurry: (() => void) | null = null;

  constructor(options: StreamOptions) {
    this.#options = options;
    void this.#run();
  }

  /** Doesn't wait for the next try. */
  tryNow(): void {
    this.#hurry?.();
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#hurry?.();
  }

  async #run(): Promise<void> {
    this.#options.onState({ kind: "connecting" });
    for (let tries = 0; !this.#ended.signal.aborted; ) {
      const outcome = await this.#listen();
      if (this.#ended.signal.aborted) return;
      if (typeof outcome === "number") return this.#options.onState({ kind: "refused", status: outcome });
      tries = outcome === "was live" ? 0 : tries + 1;
      await this.#wait(waits[Math.min(tries, waits.length - 1)] ?? 0);
    }
  }

  /** @returns how it ended; a status, when the server won't have it */
  async #listen(): Promise<"was live" | "never was" | number> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), silenceMs);
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
    };
    let isLive = false;
    try {
      const response = await fetch(this.#options.path, {
        headers: {
          Accept: "text/event-stream",
          ...(this.#lastId === undefined ? {} : { "Last-Event-ID": this.#lastId }),
        },
        cache: "no-store",
        signal: AbortSignal.any([this.#ended.signal, silence.signal]),
      });
      if (!response.ok || !response.body) return this.#isFinal(response.status) ? response.status : "never was";
      isLive = true;
      this.#begin(response.headers.get("Last-Event-ID"));
      await this.#read(response.body, heard);
    } catch {
      // It broke, or fell silent: it is tried again.
    } finally {
      clearTimeout(timer);
    }
    return isLive ? "was live" : "never was";
  }

  /** Whether the server will say the same again. */
  #isFinal(status: number): boolean {
    return status >= 400 && status < 500 && status !== 429 && !(status === 404 && this.#options.isToCome === true);
  }

  #begin(place: string | null): void {
    if (this.#wasLive && this.#lastId === undefined) this.#options.onGap();
    this.#lastId ??= place ?? undefined;
    this.#wasLive = true;
    this.#cutOffAt = null;
    this.#options.onState({ kind: "live" });
  }

  async #read(body: ReadableStream<Uint8Array>, heard: () => void): Promise<void> {
    let events: StreamEvent[] = [];
    const parser = createParser({
      onEvent: ({ id, event, data }) => {
        if (id !== undefined) this.#lastId = id;
        const parsed = parsedJson(data);
        if (event !== undefined && parsed !== undefined) events.push({ id, event, data: parsed });
      },
    });
    const text = new TextDecoder();
    // Read by hand: Safari's streams can't be iterated.
    const reader = body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      parser.feed(text.decode(value, { stream: true }));
      if (events.length > 0) this.#options.onEvents(events);
      events = [];
    }
  }

  async #wait(ms: number): Promise<void> {
    const now = Date.now();
    this.#cutOffAt ??= now;
    this.#options.onState({ kind: "cut off", since: this.#cutOffAt, nextTryAt: now + ms });
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#hurry = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#hurry = null;
  }
}

/** A piece that isn't JSON is none of ours. */
function parsedJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
