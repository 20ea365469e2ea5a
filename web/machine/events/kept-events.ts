/**
 * The last events of one life of the stream, by number, for whoever comes back. An id names its life as well, so that a number
 * of another one is never taken for one of this. Bounded by count and size: the oldest give way.
 */
import { randomBytes } from "node:crypto";

/** As many as are kept, and how many characters they may have together. */
const usualBounds = { events: 4096, characters: 8_000_000 };

export type KeptEvent = { number: number; id: string; event: string; data: unknown };

const idPattern = /^([0-9a-f]{12})-(\d{1,15})$/;

export class KeptEvents {
  readonly #life = randomBytes(6).toString("hex");
  readonly #bounds: typeof usualBounds;
  /** Without gaps, from the oldest on. */
  readonly #events: (KeptEvent & { size: number })[] = [];
  #last = 0;
  #size = 0;

  constructor(bounds = usualBounds) {
    this.#bounds = bounds;
  }

  /** The number of the last one so far. */
  get last(): number {
    return this.#last;
  }

  idOf(number: number): string {
    return `${this.#life}-${number}`;
  }

  add(event: string, data: unknown): void {
    this.#last++;
    const size = JSON.stringify(data).length;
    this.#events.push({ number: this.#last, id: this.idOf(this.#last), event, data, size });
    this.#size += size;
    const { events, characters } = this.#bounds;
    while (this.#events.length > events || (this.#size > characters && this.#events.length > 1))
      this.#size -= this.#events.shift()?.size ?? 0;
  }

  /** The number of an id; null: it is none of this life's. */
  numberOf(id: string): number | null {
    const [, life, digits] = idPattern.exec(id) ?? [];
    const number = Number(digits);
    return life === this.#life && number <= this.#last ? number : null;
  }

  /** At most so many behind a number; null: some of those aren't kept any more. */
  after(number: number, limit: number): KeptEvent[] | null {
    const oldest = this.#last - this.#events.length + 1;
    if (number + 1 < oldest) return null;
    const from = number + 1 - oldest;
    return this.#events.slice(from, from + limit);
  }
}
