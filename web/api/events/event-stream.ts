/**
 * Stream of a workspace's events to one who listens: first what they have missed, from the table, then live. Whoever reads
 * slowly falls out of the live feed and catches up from the table; whoever doesn't read at all is closed.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { WorkspaceStore } from "../../../workspace/database/changes/store.ts";
import { droppedFrame, type FeedListener, frameOf, pageSize, type WorkspaceFeed } from "./workspace-feed.ts";

/**
 * Bytes that may wait to be read by one who is live. One with more reads on from the table, without what isn't stored.
 */
const maxWaitingBytes = 1024 * 1024;

export type StreamDeps = {
  store: Pick<WorkspaceStore, "changes">;
  feed: WorkspaceFeed;
  workspaceId: string;
  /** Whether whoever listens still may. */
  isAllowed: () => Promise<boolean>;
  /** Milliseconds for which one may not read what waits for it before it is closed. */
  unreadMs: number;
  heartbeatMs: number;
  /** Ends it. */
  signal: AbortSignal;
};

/** Sends the events behind a position until either side closes. */
export async function streamEvents(response: ServerResponse, position: number, deps: StreamDeps): Promise<void> {
  const gone = new AbortController();
  const close = () => gone.abort();
  response.once("close", close);
  response.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    Connection: "keep-alive",
    "X-Accel-Buffering": "no",
    // Whoever is cut off before the first event knows where to go on.
    "Last-Event-ID": String(position),
  });
  response.write(": listening\n\n");
  const check = () => void deps.isAllowed().then((isAllowed) => isAllowed || close(), close);
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": beat\n\n");
    check();
  }, deps.heartbeatMs);
  const signal = AbortSignal.any([deps.signal, gone.signal]);
  const reader = new EventReader(response, position, { ...deps, check, close, signal });
  try {
    for (;;) {
      await reader.catchUp();
      await reader.live();
      await reader.drained();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(beat);
    reader.allRead();
    response.destroy();
  }
}

type ReaderDeps = StreamDeps & { check: () => void; close: () => void };

/** One who listens: what they are sent, and how far. */
class EventReader {
  readonly #response: ServerResponse;
  readonly #deps: ReaderDeps;
  #position: number;
  #unread: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, position: number, deps: ReaderDeps) {
    this.#response = response;
    this.#position = position;
    this.#deps = deps;
    response.on("drain", () => this.allRead());
  }

  /** Sends what is stored behind its position, as fast as it is read. */
  async catchUp(): Promise<void> {
    const { store, workspaceId, signal } = this.#deps;
    const dropped = await store.changes.droppedUpTo(workspaceId);
    if (this.#position < dropped) this.#send(droppedFrame(dropped), dropped);
    for (let isAll = false; !isAll; ) {
      signal.throwIfAborted();
      const events = await store.changes.eventsAfter(workspaceId, this.#position, pageSize);
      isAll = events.length < pageSize;
      for (const event of events) {
        this.#send(frameOf(event), event.id);
        await this.drained();
      }
    }
  }

  /** Sends what comes live, until too much of it waits to be read. */
  async live(): Promise<void> {
    const { feed, check, close, signal } = this.#deps;
    const behind = Promise.withResolvers<void>();
    const position = () => this.#position;
    const listener: FeedListener = {
      get position() {
        return position();
      },
      takeFrame: (frame, number) => {
        this.#send(frame, number);
        if (this.#response.writableLength <= maxWaitingBytes) return;
        feed.leave(listener);
        behind.resolve();
      },
      check,
      end: close,
    };
    signal.throwIfAborted();
    if (!feed.join(listener)) return;
    const stop = () => behind.reject(signal.reason as Error);
    signal.addEventListener("abort", stop);
    try {
      await behind.promise;
    } finally {
      signal.removeEventListener("abort", stop);
      feed.leave(listener);
    }
  }

  /** Resolves when what was sent is read. */
  async drained(): Promise<void> {
    const { signal } = this.#deps;
    signal.throwIfAborted();
    if (this.#response.writableNeedDrain) await once(this.#response, "drain", { signal });
  }

  /** Nothing waits to be read any more. */
  allRead(): void {
    clearTimeout(this.#unread);
    this.#unread = undefined;
  }

  #send(frame: string, number: number | null): void {
    if (number !== null) this.#position = number;
    if (!this.#response.write(frame)) this.#unread ??= setTimeout(this.#deps.close, this.#deps.unreadMs);
  }
}
