/** Server-sent events to one client, no faster than it reads, with comments while nothing is to be said. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** So that whoever sits between notices that the connection lives, in ms. */
const heartbeatMs = 15_000;

/** Milliseconds for which a client may not read what waits for it. */
const unreadMs = 60_000;

export class EventStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #beat: NodeJS.Timeout;

  constructor(response: ServerResponse, headers: Record<string, string>) {
    this.#response = response;
    response.writeHead(200, {
      "Content-Type": "text/event-stream; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
      ...headers,
    });
    response.flushHeaders();
    this.#beat = setInterval(() => {
      if (!response.writableNeedDrain) response.write(": beat\n\n");
    }, heartbeatMs);
  }

  /** Resolves when the client has room for more. @throws Error when it has left, or doesn't read */
  async send(data: object | string, event?: string): Promise<void> {
    const text = typeof data === "string" ? data : JSON.stringify(data);
    const line = `${event === undefined ? "" : `event: ${event}\n`}data: ${text}\n\n`;
    if (this.#response.destroyed) throw new Error("the client has left");
    if (this.#response.write(line)) return;
    await once(this.#response, "drain", { signal: AbortSignal.timeout(unreadMs) });
  }

  [Symbol.dispose](): void {
    clearInterval(this.#beat);
    this.#response.end();
  }
}
