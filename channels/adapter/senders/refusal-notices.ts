/** Notices to people who may not write here: once in a while each, and not many at once. Pure: the time is an argument. */

const everyMs = 3_600_000;
/** Most notices in that time, to all together, so that a flood of strangers doesn't become a flood of ours. */
const mostAtOnce = 20;

export class RefusalNotices {
  /** Times of the notices, the oldest first. */
  readonly #told = new Map<string, number>();

  /** Whether a notice to somebody is due. */
  isDue(userId: string, nowMs: number): boolean {
    for (const [known, at] of this.#told) {
      if (nowMs - at < everyMs) break;
      this.#told.delete(known);
    }
    if (this.#told.has(userId) || this.#told.size >= mostAtOnce) return false;
    this.#told.set(userId, nowMs);
    return true;
  }
}
