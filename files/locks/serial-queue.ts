/** Work that must not overlap runs one piece after the other, in the order in which it was asked for. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs this after all that was added before, and settles as it does. Its failure is its caller's alone: the next piece runs. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all that was added before has ended, however it ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** One piece of work that is asked for again and again: everybody who asks before a run of it begins shares that run. */
export class CoalescedWork {
  readonly #queue = new SerialQueue();
  readonly #work: () => Promise<void>;
  #next: Promise<void> | null = null;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Settles as the run does that begins after this call. */
  run(): Promise<void> {
    this.#next ??= this.#queue.run(() => {
      this.#next = null;
      return this.#work();
    });
    return this.#next;
  }

  /** Resolves when no run is under way or due. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }
}
