/** Time that only the simulation moves: what is to happen, in order, and the numbers that decide everything. */

/**
 * Lets all promises go on that can: what Node does between two callbacks, and says no public way to. Waiting for a number of
 * turns instead takes three times as long, and is too short for some chain of promises one day.
 */
const settle: () => void = Reflect.get(process, "_tickCallback");

/** Simulates in a callback of its own: until it is done nobody else's promises go on, and its own do when the engine says so. */
export function apart<T>(simulate: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(simulate());
      } catch (error) {
        reject(error);
      }
    });
  });
}

type Entry = { time: number; order: number; what: () => void };

export class Engine {
  now = 0;
  /** Whether somebody's code was called who may have promises to go on with. */
  isStirred = false;
  /** The trace of what happened, when somebody wants to read it. */
  readonly trace: string[] | null;
  readonly #heap: Entry[] = [];
  #order = 0;
  #state: number;

  constructor(seed: number, isTraced = false) {
    this.#state = seed | 0;
    this.trace = isTraced ? [] : null;
  }

  /** From 0 to 1: mulberry32. */
  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  /** A whole number from `from` to `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.random() * (to - from + 1));
  }

  pick<T>(of: readonly T[]): T {
    return of[Math.floor(this.random() * of.length)] as T;
  }

  after(ms: number, what: () => void): void {
    this.at(this.now + Math.max(0, ms), what);
  }

  /** At a time; of two at the same one, the first that was said comes first. */
  at(time: number, what: () => void): void {
    const heap = this.#heap;
    const entry = { time, order: this.#order++, what };
    let place = heap.length;
    heap.push(entry);
    for (let up = (place - 1) >> 1; place > 0 && isBefore(entry, heap[up] as Entry); up = (place - 1) >> 1) {
      heap[place] = heap[up] as Entry;
      place = up;
    }
    heap[place] = entry;
  }

  say(text: string): void {
    this.trace?.push(`${String(Math.round(this.now)).padStart(6)} ${text}`);
  }

  /** Lets happen what is to happen, until it is done or so many ms have passed. Returns whether it is done. */
  run(isDone: () => boolean, untilMs: number): boolean {
    while ((this.#heap[0]?.time ?? Number.POSITIVE_INFINITY) <= untilMs) {
      const entry = this.#next() as Entry;
      this.now = entry.time;
      entry.what();
      if (this.isStirred) {
        this.isStirred = false;
        settle();
      }
      if (isDone()) return true;
    }
    return false;
  }

  #next(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (let down = 1; down < heap.length; down = 2 * at + 1) {
      if (down + 1 < heap.length && isBefore(heap[down + 1] as Entry, heap[down] as Entry)) down++;
      if (isBefore(last, heap[down] as Entry)) break;
      heap[at] = heap[down] as Entry;
      at = down;
    }
    heap[at] = last;
    return first;
  }
}

const isBefore = (a: Entry, b: Entry) => (a.time === b.time ? a.order < b.order : a.time < b.time);
