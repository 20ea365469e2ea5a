/**
 * The events of the machine, as one stream for all who listen. Each reads on from where they are, at their own speed; a
 * client that falls behind what is kept, or comes from another life of this program, is told to read the lists anew.
 * Nothing is watched while nobody listens, but for a while after the last has gone, since a page that is cut off comes
 * back.
 */
import { EventEmitter, once } from "node:events";
import { KeptEvents } from "./kept-events.ts";

/** Milliseconds for which it is watched on when nobody listens. */
const usualIdleMs = 60_000;
/** One who reads is handed so many at once. */
const atOnce = 200;

export type Tell = (event: string, data: unknown) => void;

type StreamEvent = { id: string; event: string; data: unknown };

/** Events from a position on, which whoever listens is told. */
export type Listening = AsyncIterable<StreamEvent> & { position: string };

type Life = { kept: KeptEvents; sources: Disposable };

export class MachineEvents implements Disposable {
  readonly #open: (tell: Tell) => Disposable;
  readonly #idleMs: number;
  readonly #news = new EventEmitter().setMaxListeners(0);
  #life: Life | null = null;
  #readers = 0;
  #idle: NodeJS.Timeout | undefined;

  /** @param open begins to watch, and tells what happens from then on */
  constructor(open: (tell: Tell) => Disposable, idleMs = usualIdleMs) {
    this.#open = open;
    this.#idleMs = idleMs;
  }

  /** Where it stands: whoever reads lists now, and listens behind it, misses nothing. */
  get position(): string {
    const { kept } = this.#watched();
    return kept.idOf(kept.last);
  }

  /** Tells something that no source tells. */
  tellEvent(event: string, data: unknown): void {
    this.#life?.kept.add(event, data);
    this.#news.emit("news");
  }

  /** Listens behind an event, or from now on. @param lastEventId null: nothing was heard yet */
  listen(lastEventId: string | null, signal: AbortSignal): Listening {
    const life = this.#watched();
    const { kept } = life;
    const known = lastEventId === null ? kept.last : kept.numberOf(lastEventId);
    const from = known ?? kept.last;
    const events = () => this.#read(life, { from, isKnown: known !== null }, signal);
    return { position: kept.idOf(from), [Symbol.asyncIterator]: events };
  }

  async *#read(
    life: Life,
    { from, isKnown }: { from: number; isKnown: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const { kept } = life;
    this.#readers++;
    clearTimeout(this.#idle);
    try {
      if (!isKnown) yield resetAt(kept.idOf(from), "what came before isn't known any more");
      for (let at = from; !signal.aborted && this.#life === life; ) {
        const events = kept.after(at, atOnce);
        if (events === null) {
          at = kept.last;
          yield resetAt(kept.idOf(at), "too much has come since");
          continue;
        }
        for (const { number, id, event, data } of events) {
          at = number;
          yield { id, event, data };
        }
        if (events.length === 0) await once(this.#news, "news", { signal }).catch(() => {});
      }
    } finally {
      this.#readers--;
      this.#endSoon();
    }
  }

  #watched(): Life {
    if (!this.#life) {
      const kept = new KeptEvents();
      const tell: Tell = (event, data) => {
        kept.add(event, data);
        this.#news.emit("news");
      };
      this.#life = { kept, sources: this.#open(tell) };
    }
    this.#endSoon();
    return this.#life;
  }

  #endSoon(): void {
    clearTimeout(this.#idle);
    if (this.#readers === 0 && this.#life) this.#idle = setTimeout(() => this.#end(), this.#idleMs).unref();
  }

  #end(): void {
    this.#life?.sources[Symbol.dispose]();
    this.#life = null;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#idle);
    this.#end();
    this.#news.emit("news");
  }
}

const resetAt = (id: string, why: string): StreamEvent => ({ id, event: "reset", data: { why } });
