/**
 * Reads of one list run one after the other: what is heard meanwhile belongs to the read that is out, and an answer that is older
 * never stands over a newer one.
 */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /** Reads when all that was asked for before has ended, however it ended. */
  run(read: () => Promise<void>): Promise<void> {
    const result = this.#last.then(read);
    this.#last = result.catch(() => {});
    return result;
  }
}
