/** A machine on which a program has one life after the other: its clocks, its sleep, and what reaches the program. */
import type { Engine } from "./engine.ts";

export class Machine {
  readonly name: string;
  protected readonly engine: Engine;
  /** Counts the lives of its program. */
  life = 0;
  isUp = false;
  isStopped = false;
  /** The whole machine sleeps, with its steady clock. */
  isAsleep = false;
  clockOffset = 0;
  #slept = 0;
  #fellAsleep = 0;
  #held: { life: number; what: () => void }[] = [];
  #sleeping: (() => void)[] = [];

  constructor(name: string, engine: Engine) {
    this.name = name;
    this.engine = engine;
  }

  get wall(): number {
    return this.engine.now + this.clockOffset;
  }

  get steady(): number {
    return this.engine.now - this.#slept;
  }

  /** Something reaches the program, if it is still the same one; when it stands still, as soon as it goes on. */
  deliver(life: number, what: () => void): void {
    if (!this.isUp || life !== this.life) return;
    if (this.isStopped || this.isAsleep) this.#held.push({ life, what });
    else {
      this.engine.isStirred = true;
      what();
    }
  }

  /** The program's own timer. */
  after(ms: number, what: () => void): void {
    const { life } = this;
    this.engine.after(ms, () => this.deliver(life, what));
  }

  /** The same, unless it is disposed of. */
  later(ms: number, what: () => void): Disposable {
    let isDue = true;
    this.after(ms, () => isDue && what());
    return { [Symbol.dispose]: () => void (isDue = false) };
  }

  /** A step on the disk takes a moment, in which anything may happen. */
  moment(): Promise<void> {
    return new Promise((resolve) => this.after(this.engine.random() * 4, resolve));
  }

  boot(): void {
    this.engine.isStirred = true;
    this.life++;
    this.isUp = true;
    this.isStopped = false;
    this.#held = [];
  }

  kill(): void {
    this.isUp = false;
    this.isStopped = false;
    this.#held = [];
  }

  /** SIGSTOP. */
  stop(): void {
    this.isStopped = true;
  }

  goOn(): void {
    this.isStopped = false;
    this.#release();
  }

  sleep(): void {
    this.isAsleep = true;
    this.#fellAsleep = this.engine.now;
  }

  wake(): void {
    this.isAsleep = false;
    this.#slept += this.engine.now - this.#fellAsleep;
    for (const what of this.#sleeping.splice(0)) this.engine.after(this.engine.random() * 5, what);
    this.#release();
  }

  /** Defers what others on this machine do until it is awake again. */
  protected onceAwake(what: () => void): void {
    this.#sleeping.push(what);
  }

  #release(): void {
    for (const { life, what } of this.#held.splice(0)) this.engine.after(0, () => this.deliver(life, what));
  }
}
