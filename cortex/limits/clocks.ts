/** The two clocks of a run: the wall clock, and the one that measures silence. Neither setting switches the other off. */
import { type Clock, systemClock } from "../model/clock.ts";

/** Node's timers take at most this; a longer time is looked at again. */
const longestMs = 2 ** 31 - 1;

export type Limit = "timeout" | "idle";

export class RunClocks implements Disposable {
  readonly #onLimit: (limit: Limit) => void;
  #wallEnd: number;
  readonly #idleMs: number;
  readonly #clock: Clock;
  #heard: number;
  #timer: Disposable | undefined;
  #isPaused = false;

  /** @param wallMs what is left of the wall clock */
  constructor(wallMs: number, idleMs: number, onLimit: (limit: Limit) => void, clock = systemClock) {
    this.#onLimit = onLimit;
    this.#clock = clock;
    this.#heard = this.#now;
    this.#wallEnd = this.#now + wallMs;
    this.#idleMs = idleMs;
    this.#arm();
  }

  /** The agent said something. */
  heard(): void {
    this.#heard = this.#now;
  }

  /** So much is left of the wall clock from now on, in ms. */
  setWall(wallMs: number): void {
    this.#wallEnd = this.#now + wallMs;
    this.#timer?.[Symbol.dispose]();
    this.#arm();
  }

  /** Both stand still until they are resumed. */
  pause(): void {
    this.#isPaused = true;
    this.#timer?.[Symbol.dispose]();
  }

  /** The wall clock goes on with so much, and the silence begins anew. */
  resume(wallMs: number): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.heard();
    this.setWall(wallMs);
  }

  get #now(): number {
    return this.#clock.now().steady;
  }

  #arm(): void {
    if (this.#isPaused) return;
    const now = this.#now;
    const [wall, idle] = [this.#wallEnd - now, this.#heard + this.#idleMs - now];
    if (wall <= 0 || idle <= 0) return this.#onLimit(wall <= 0 ? "timeout" : "idle");
    this.#timer = this.#clock.later(Math.min(Math.ceil(Math.min(wall, idle)), longestMs), () => this.#arm());
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }
}
