/** How many processes of a kind were wanted at once lately. Pure but for the clock. */

/** Milliseconds within which starts count as concurrent. */
const atOnceMs = 1000;
/** So long a peak counts; then half of it. */
const memoryMs = 10 * 60_000;

export class PeakConcurrency {
  readonly #now: () => number;
  /** The target that always holds. */
  #least = 0;
  #peak = 0;
  #peakAt = 0;
  #count = 0;
  #since = Number.NEGATIVE_INFINITY;

  /** @param now in ms, never going back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** So many are wanted, whatever is taken. */
  raise(least: number): void {
    this.#least = Math.max(this.#least, least);
  }

  /** One was wanted. */
  taken(): void {
    const now = this.#now();
    if (now - this.#since > atOnceMs) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count++;
    this.#fade(now);
    if (this.#count < this.#peak) return;
    this.#peak = this.#count;
    this.#peakAt = now;
  }

  /** How many should wait. */
  get target(): number {
    this.#fade(this.#now());
    return Math.max(this.#least, this.#peak);
  }

  #fade(now: number): void {
    for (; this.#peak > 0 && now - this.#peakAt > memoryMs; this.#peakAt += memoryMs)
      this.#peak = Math.floor(this.#peak / 2);
  }
}
