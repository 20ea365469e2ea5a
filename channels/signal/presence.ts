/**
 * The signs that a message was taken: an eye on it, and that somebody is typing until the answer goes out. They are best effort:
 * nothing waits for them, and a failure is one quiet line.
 */
import type { Logger } from "../../proc/logging/log.ts";
import type { Room } from "./incoming.ts";
import type { SignalRpc } from "./signal-rpc.ts";

/** Signal shows typing for 15 s. */
const againMs = 10_000;
/** An answer that takes longer is no surprise any more. */
const longestMs = 300_000;
const mostRooms = 100;

export class Presence implements Disposable {
  readonly #rpc: SignalRpc;
  readonly #log: Logger;
  readonly #signal: AbortSignal;
  readonly #typing = new Map<string, NodeJS.Timeout>();

  constructor(rpc: SignalRpc, log: Logger, signal: AbortSignal) {
    this.#rpc = rpc;
    this.#log = log;
    this.#signal = signal;
  }

  /** A message was stored. */
  taken(room: Room, channelId: string, author: string, timestamp: number): void {
    const eye = { ...room, emoji: "👀", targetAuthor: author, targetTimestamp: timestamp };
    this.#tell("sendReaction", eye);
    this.#end(channelId);
    if (this.#typing.size >= mostRooms) return;
    this.#tell("sendTyping", { ...room });
    const until = performance.now() + longestMs;
    const timer = setInterval(() => {
      if (performance.now() > until) this.#end(channelId);
      else this.#tell("sendTyping", { ...room });
    }, againMs);
    this.#typing.set(channelId, timer.unref());
  }

  /** Something goes out there: the app shows nobody typing any more. */
  answered(channelId: string): void {
    this.#end(channelId);
  }

  [Symbol.dispose](): void {
    for (const channelId of this.#typing.keys()) this.#end(channelId);
  }

  #end(channelId: string): void {
    clearInterval(this.#typing.get(channelId));
    this.#typing.delete(channelId);
  }

  #tell(method: string, params: Record<string, unknown>): void {
    void this.#rpc(method, params, this.#signal).catch((error: unknown) => {
      if (!this.#signal.aborted) this.#log.info({ method, error: (error as Error).message }, "a sign wasn't shown");
    });
  }
}
