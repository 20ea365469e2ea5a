/** The runs of which something was heard over the bus: each is read at most so often. */

/** A run's row is told at most so often, in ms. */
const tellEveryMs = 250;

export class HeardRuns implements Disposable {
  readonly #read: (id: string) => void;
  /** When each may be read again. */
  readonly #due = new Map<string, NodeJS.Timeout>();
  readonly #readAt = new Map<string, number>();

  constructor(read: (id: string) => void) {
    this.#read = read;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#due.values()) clearTimeout(timer);
    this.#due.clear();
    this.#readAt.clear();
  }

  has(id: string): boolean {
    return this.#readAt.has(id);
  }

  /** Reads a run of which something was heard, now or when it may be read again. */
  heard(id: string): void {
    if (this.#due.has(id)) return;
    const wait = Math.max(0, (this.#readAt.get(id) ?? -tellEveryMs) + tellEveryMs - performance.now());
    const read = () => {
      this.#due.delete(id);
      this.#readAt.set(id, performance.now());
      this.#read(id);
    };
    this.#due.set(id, setTimeout(read, wait).unref());
  }

  /** Forgets the runs that nothing more is expected of. */
  keepOnly(isExpected: (id: string) => boolean): void {
    for (const id of this.#readAt.keys()) if (!isExpected(id)) this.#readAt.delete(id);
  }
}
