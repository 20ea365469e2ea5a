/**
 * The signs that a message was taken: an eye on it, and that somebody is typing until the answer goes out. They are best effort:
 * nothing waits for them, and a failure is one quiet line.
 */
import { messageOf } from "../../files/errors/error-message.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { Typing } from "../adapter/typing.ts";
import type { Incoming, Room } from "./incoming.ts";
import type { SignalRpc } from "./signal-rpc.ts";

/** Signal shows typing for 15 s. */
const againMs = 10_000;

type Taken = Pick<Extract<Incoming, { kind: "message" }>, "message" | "room" | "author" | "timestamp">;

export class Presence implements Disposable {
  readonly typing: Typing<Room>;
  readonly #rpc: SignalRpc;
  readonly #log: Logger;
  readonly #signal: AbortSignal;

  constructor(rpc: SignalRpc, log: Logger, signal: AbortSignal) {
    this.#rpc = rpc;
    this.#log = log;
    this.#signal = signal;
    this.typing = new Typing<Room>({
      everyMs: againMs,
      show: (room) => rpc("sendTyping", { ...room }, signal),
      onProblem: (error) => this.#note("sendTyping", error),
    });
  }

  /** A message was stored. */
  taken({ message, room, author, timestamp }: Taken): void {
    const method = "sendReaction";
    const eye = { ...room, emoji: "👀", targetAuthor: author, targetTimestamp: timestamp };
    void this.#rpc(method, eye, this.#signal).catch((error: unknown) => this.#note(method, error));
    this.typing.begin(message.id, message.channel, room);
  }

  [Symbol.dispose](): void {
    this.typing[Symbol.dispose]();
  }

  #note(method: string, error: unknown): void {
    if (!this.#signal.aborted) this.#log.info({ method, error: messageOf(error) }, "a sign wasn't shown");
  }
}
