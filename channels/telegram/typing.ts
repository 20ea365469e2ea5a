/**
 * "Typing …" in a room, from a message that was taken to the first one that goes out there. Best effort: it holds nothing up, and a
 * room in which it can't be shown has it no more for that message.
 */
import type { Channel } from "../../protocol/agents/channel.ts";

/** Telegram shows it for five seconds, or until a message comes. */
const everyMs = 5000;
/** The longest that an answer is waited for. */
const longestMs = 300_000;
/** Rooms at once. */
const mostRooms = 100;

type TypingDeps = {
  show: (room: Channel) => Promise<unknown>;
  onProblem: (error: unknown) => void;
};

export class Typing implements Disposable {
  readonly #deps: TypingDeps;
  readonly #rooms = new Map<string, NodeJS.Timeout>();

  constructor(deps: TypingDeps) {
    this.#deps = deps;
  }

  /** Begins in a room, anew where it has begun. */
  begin(room: Channel): void {
    this.end(room);
    if (this.#rooms.size >= mostRooms) return;
    const until = Date.now() + longestMs;
    const again = () => (Date.now() < until ? this.#show(room) : this.end(room));
    this.#rooms.set(keyOf(room), setInterval(again, everyMs).unref());
    this.#show(room);
  }

  end(room: Channel): void {
    clearInterval(this.#rooms.get(keyOf(room)));
    this.#rooms.delete(keyOf(room));
  }

  #show(room: Channel): void {
    this.#deps.show(room).catch((error: unknown) => {
      this.end(room);
      this.#deps.onProblem(error);
    });
  }

  [Symbol.dispose](): void {
    for (const timer of this.#rooms.values()) clearInterval(timer);
    this.#rooms.clear();
  }
}

const keyOf = ({ channelId, replyTo = "" }: Channel) => `${channelId} ${replyTo}`;
