/** How a model's own count of tokens compares with the estimate, learned from the counts of its calls. Pure but for what it learns. */

/** A count that is further off is of something else: a cache, files, or a server that counts wrongly. */
const [least, most] = [0.4, 4];

/**
 * Tokens of the smallest estimate from which something is learned: of a smaller one, what stands around it weighs too
 * much.
 */
const enough = 500;

export class TokenRatio {
  #ratio = 1;

  get value(): number {
    return this.#ratio;
  }

  /** Takes the provider's count of what was estimated as so many tokens. The newest count says most: it is of this conversation. */
  learn(counted: number, estimated: number): void {
    if (estimated < enough || counted <= 0) return;
    this.#ratio = Math.min(most, Math.max(least, counted / estimated));
  }

  corrected(estimated: number): number {
    return Math.ceil(estimated * this.#ratio);
  }
}
