/** How many requests a user may make: a bucket that fills up evenly. In this process alone. */
import { RefusedForNow } from "../answers/problem.ts";

/** In the bucket of a user who hasn't asked for a while, in seconds of the rate. */
const burstSeconds = 10;
/** Users whose buckets are known; those who asked longest ago go first. */
const maxBuckets = 10_000;

export class RateLimit {
  readonly #perSecond: number;
  readonly #clock: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor(perSecond: number, clock: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** Takes one request of a user's. @throws RefusedForNow `rate_limited` */
  countRequest(userId: string): void {
    const now = this.#clock();
    const most = this.#perSecond * burstSeconds;
    const { left, at } = this.#buckets.get(userId) ?? { left: most, at: now };
    const filled = Math.min(most, left + ((now - at) / 1000) * this.#perSecond);
    if (filled < 1) {
      const seconds = Math.ceil((1 - filled) / this.#perSecond);
      throw new RefusedForNow("rate_limited", `more than ${this.#perSecond} requests a second`, Math.max(1, seconds));
    }
    // Put in anew, so that the first ones of the map are those that asked longest ago.
    this.#buckets.delete(userId);
    this.#buckets.set(userId, { left: filled - 1, at: now });
    const oldest = this.#buckets.keys().next();
    if (this.#buckets.size > maxBuckets && !oldest.done) this.#buckets.delete(oldest.value);
  }
}
