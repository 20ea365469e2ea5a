/** Who has been told lately that they may not write here: once in a while each, and not many at once. Pure but for the clock that is handed in. */

const everyMs = 3_600_000;
/** In that time, to all together: a flood of strangers is no flood of ours. */
const mostAtOnce = 20;

export class Notices {
  /** When each was told, the oldest first. */
  readonly #told = new Map<string, number>();

  /** Whether somebody is to be told now. */
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
