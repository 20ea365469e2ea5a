/** The two clocks of a run: the wall clock, and the one that measures silence. Neither setting switches the other off. */

/** Node's timers take at most this; a longer time is looked at again. */
const longestMs = 2 ** 31 - 1;

export type Limit = "timeout" | "idle";

export class RunClocks implements Disposable {
  readonly #onLimit: (limit: Limit) => void;
  #wallEnd: number;
  readonly #idleMs: number;
  #heard = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** @param wallMs what is left of the wall clock */
  constructor(wallMs: number, idleMs: number, onLimit: (limit: Limit) => void) {
    this.#onLimit = onLimit;
    this.#wallEnd = performance.now() + wallMs;
    this.#idleMs = idleMs;
    this.#arm();
  }

  /** The agent said something. */
  heard(): void {
    this.#heard = performance.now();
  }

  /** So much is left of the wall clock from now on, in ms. */
  setWall(wallMs: number): void {
    this.#wallEnd = performance.now() + wallMs;
    clearTimeout(this.#timer);
    this.#arm();
  }

  #arm(): void {
    const now = performance.now();
    const [wall, idle] = [this.#wallEnd - now, this.#heard + this.#idleMs - now];
    if (wall <= 0 || idle <= 0) return this.#onLimit(wall <= 0 ? "timeout" : "idle");
    this.#timer = setTimeout(() => this.#arm(), Math.min(Math.ceil(Math.min(wall, idle)), longestMs));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
