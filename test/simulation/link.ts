/** A worker's connection to the bus: in order, slow at times, cut off at times. What is under way then is lost. */
import type { Engine } from "./engine.ts";
import type { Machine } from "./machine.ts";
import { times } from "./times.ts";

/** One for all: a stack each would take longer than everything else. */
const noAnswer = new Error("no answer");

export class Link {
  isCut = false;
  /** Whether its worker believes it to be there. */
  isConnected = true;
  /** How often an answer is lost although what was asked for has happened. */
  lossiness: number;
  readonly #engine: Engine;
  readonly #machine: Machine;
  readonly #life: number;
  #generation = 0;
  #lastUp = 0;
  #lastDown = 0;
  #onReconnect: (() => void)[] = [];

  constructor(engine: Engine, machine: Machine, lossiness: number) {
    this.#engine = engine;
    this.#machine = machine;
    this.#life = machine.life;
    this.lossiness = lossiness;
  }

  onReconnect(what: () => void): void {
    this.#onReconnect.push(what);
  }

  /** Something is sent, and nobody waits for it. */
  send(apply: () => void): void {
    this.#up(apply, () => {});
  }

  /** Something is asked. @throws Error when no answer comes in time, whether or not it has happened */
  call<T>(apply: () => T): Promise<T> {
    const asked = this.#engine.now;
    return new Promise<T>((resolve, reject) => {
      const lost = () =>
        this.#engine.after(asked + times.timeoutMs - this.#engine.now, () =>
          this.#machine.deliver(this.#life, () => reject(noAnswer)),
        );
      const answer = () => {
        const result = apply();
        if (this.#engine.chance(this.lossiness)) return lost();
        this.toWorker(() => resolve(result), lost);
      };
      this.#up(answer, lost);
    });
  }

  #up(apply: () => void, lost: () => void): void {
    const generation = this.#generation;
    this.#lastUp = Math.max(this.#lastUp, this.#engine.now + this.#delay());
    this.#engine.at(this.#lastUp, () => {
      if (this.isCut || generation !== this.#generation) lost();
      else apply();
    });
  }

  /** News from the bus. */
  toWorker(what: () => void, lost: () => void = () => {}): void {
    if (this.isCut) return lost();
    const generation = this.#generation;
    this.#lastDown = Math.max(this.#lastDown, this.#engine.now + this.#delay());
    this.#engine.at(this.#lastDown, () => {
      if (this.isCut || generation !== this.#generation) lost();
      else this.#machine.deliver(this.#life, what);
    });
  }

  cut(): void {
    if (this.isCut) return;
    this.isCut = true;
    this.#generation++;
    this.#engine.after(this.#engine.between(0, 800), () => {
      if (this.isCut) this.isConnected = false;
    });
  }

  heal(): void {
    if (!this.isCut) return;
    this.isCut = false;
    this.#generation++; // another connection
    this.#machine.deliver(this.#life, () => {
      this.isConnected = true;
      for (const what of this.#onReconnect) what();
    });
  }

  #delay(): number {
    return this.#engine.chance(0.04) ? this.#engine.random() * times.slowestMs : 0.2 + this.#engine.random() * 6;
  }
}
