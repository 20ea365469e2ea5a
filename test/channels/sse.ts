/** Reads server-sent events, as a browser does. */
import { setTimeout as delay } from "node:timers/promises";
import { patienceMs } from "../support/patience.ts";

export type SentEvent = { id: string; event: string; data: string };

export class EventReader implements AsyncDisposable {
  readonly events: SentEvent[] = [];
  readonly status: number;
  readonly type: string | null;
  isOver = false;
  readonly #stop: AbortController;
  #reading: Promise<void> = Promise.resolve();

  private constructor(response: Response, stop: AbortController) {
    this.status = response.status;
    this.type = response.headers.get("content-type");
    this.#stop = stop;
    if (response.body) this.#reading = this.#read(response.body);
  }

  /** Resolves when it listens. */
  static async open(url: string, token: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const stop = new AbortController();
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${token}`, ...headers },
      signal: stop.signal,
    });
    return new EventReader(response, stop);
  }

  /** The events, as soon as there are so many. */
  async next(count: number): Promise<SentEvent[]> {
    for (const end = performance.now() + patienceMs; this.events.length < count; await delay(10))
      if (performance.now() > end) throw new Error(`${count} events expected, got ${JSON.stringify(this.events)}`);
    return this.events;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = "";
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + text).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) this.#take(block);
      }
    } catch {} // closed
    this.isOver = true;
  }

  #take(block: string): void {
    const fields = block.split("\n").filter((line) => !line.startsWith(":"));
    if (fields.length === 0) return;
    const of = (name: string) =>
      fields.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : [])).join("\n");
    this.events.push({ id: of("id"), event: of("event"), data: of("data") });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#reading;
  }
}
