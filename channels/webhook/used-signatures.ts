/** The signatures that were used, and for which address: Standard Webhooks signs a body, and says nothing of where it goes. */

/** Milliseconds for which a signature holds, at the most: one of a clock that is ahead holds twice as long as others. */
const longestMs = 2 * 300_000;
const mostKept = 20_000;

export class UsedSignatures {
  /** The oldest first. */
  readonly #used = new Map<string, { address: string; ts: number }>();

  /** Uses a signature. False: it was used for another address before. */
  use(stamp: string, address: string, nowMs: number): boolean {
    for (const [old, { ts }] of this.#used) {
      if (ts > nowMs - longestMs && this.#used.size < mostKept) break;
      this.#used.delete(old);
    }
    const before = this.#used.get(stamp);
    if (!before) this.#used.set(stamp, { address, ts: nowMs });
    return before === undefined || before.address === address;
  }
}
