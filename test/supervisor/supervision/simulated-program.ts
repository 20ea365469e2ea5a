/** A simulated program and its system, with seeded dice and a clock of their own: carries out the table's effects as `supervised-program.ts` does. */
import {
  newLife,
  type LifeState,
  type ProgramEffect,
  type ProgramInput,
  type ProgramLife,
  type UntimedInput,
} from "../../../supervisor/supervision/program-life.ts";
import { nextLife } from "../../../supervisor/supervision/program-state-machine.ts";
import { shortGraceMs } from "../../../supervisor/supervision/program-timings.ts";

export type Habits = {
  /** Milliseconds for which a process lives from its start. */
  livesMs: () => number;
  /** Milliseconds after its start at which it answers. */
  readyAfterMs: () => number;
  answers: () => boolean;
  /** Whether it goes when it is asked to. */
  isPolite: () => boolean;
  exitCode: () => number;
};

/** Milliseconds after which the program is asked again whether it answers. */
export const livenessEveryMs = 3000;

type Event = { at: number; run: () => void };

export class SimulatedProgram {
  now = 1_000_000;
  life: ProgramLife = newLife(this.now);
  readonly states: { at: number; state: LifeState }[] = [];
  readonly spawns: number[] = [];
  readonly effects: ProgramEffect[] = [];
  /** The living process and what is left in its group. */
  process: { number: number; isLeaderAlive: boolean; bornAt: number } | null = null;
  #events: Event[] = [];
  #timer: Event | null = null;
  #probe: Event | null = null;
  readonly #habits: Habits;
  readonly graceMs = 10_000;

  constructor(habits: Habits) {
    this.#habits = habits;
  }

  say(said: UntimedInput): void {
    const before = this.life.state;
    const { life, effects } = nextLife(this.life, { ...said, at: this.now } as ProgramInput);
    this.life = life;
    if (life.state !== before) {
      this.#timer = null;
      this.#probe = null;
      this.states.push({ at: this.now, state: life.state });
    }
    this.effects.push(...effects);
    for (const effect of effects) this.#carryOut(effect);
    this.check();
  }

  /** Checks the invariants after every step. */
  check(): void {
    const { state, hasRefused, wanted } = this.life;
    const isAlive = ["up", "ready"].includes(state);
    const must = (holds: boolean, what: string) => {
      if (!holds) throw new Error(`${what}: ${JSON.stringify(this.life)}`);
    };
    must(!isAlive || this.process !== null, "up without a process");
    must(state !== "stopping" || this.#timer !== null, "nothing would end the stopping");
    must(state !== "up" || (this.#probe !== null && this.#timer !== null), "nobody asks whether it is ready");
    must(state !== "ready" || this.#probe !== null, "nobody asks whether it answers");
    must(state !== "backingOff" || this.#timer !== null, "nothing would start it again");
    must(state !== "failed" || hasRefused !== (this.#timer !== null), "a failed one is tried again unless it refused");
    must(wanted || !["backingOff", "failed", "up", "ready"].includes(state), "what isn't wanted is down or on its way");
  }

  /** Lets time pass. */
  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const due = [...this.#events, ...(this.#timer ? [this.#timer] : []), ...(this.#probe ? [this.#probe] : [])]
        .filter(({ at }) => at <= end)
        .toSorted((one, other) => one.at - other.at)[0];
      if (!due) break;
      this.now = Math.max(this.now, due.at);
      this.#events = this.#events.filter((event) => event !== due);
      if (this.#timer === due) this.#timer = null;
      if (this.#probe === due) this.#probe = null;
      due.run();
    }
    this.now = end;
  }

  /** The process ends by itself, or is killed from outside. */
  die(code: number | null, leavesSomebody = false): void {
    const { process } = this;
    if (!process?.isLeaderAlive) return;
    process.isLeaderAlive = false;
    if (!leavesSomebody) this.process = null;
    this.say({ type: "exited", end: { code, signal: code === null ? "SIGKILL" : null } });
  }

  #carryOut(effect: ProgramEffect): void {
    switch (effect.do) {
      case "spawn":
        return this.#spawn();
      case "timer":
        this.#timer = this.#at(this.#msOf(effect.afterMs), () => this.say({ type: "timer" }));
        return;
      case "probe": {
        const { process } = this;
        this.#probe = this.#at(effect.afterMs ?? livenessEveryMs, () => {
          const isOld = this.now >= (process?.bornAt ?? 0) + this.#habits.readyAfterMs();
          this.say({ type: "probed", answered: isOld && this.#habits.answers() });
        });
        return;
      }
      case "signal":
        if (this.process && this.#habits.isPolite()) this.#later(5, () => this.die(0));
        return;
      case "signalGroup":
        if (!this.process || (effect.signal === "SIGTERM" && !this.#habits.isPolite())) return;
        this.#later(1, () => {
          if (this.process?.isLeaderAlive) this.die(null);
          else this.process = null;
        });
        return;
      case "awaitGone":
        return this.#awaitGone();
      case "announce":
        return;
      case "reportImpossible":
        throw new Error("an input that the table calls impossible");
    }
  }

  #msOf(after: Extract<ProgramEffect, { do: "timer" }>["afterMs"]): number {
    if (typeof after === "number") return after;
    return after === "grace" ? this.graceMs : shortGraceMs;
  }

  #spawn(): void {
    if (this.process) throw new Error("two of one kind");
    if (!this.life.wanted) throw new Error("started though nobody wants it");
    if (!this.life.needsMet) throw new Error("started without what it needs");
    this.spawns.push(this.now);
    this.#later(1, () => {
      if (!this.life.wanted) return this.say({ type: "gone" });
      const number = this.spawns.length;
      this.process = { number, isLeaderAlive: true, bornAt: this.now };
      this.#later(this.#habits.livesMs(), () => {
        if (this.process?.number === number) this.die(this.#habits.exitCode());
      });
      this.say({ type: "spawned" });
    });
  }

  #awaitGone(): void {
    const look = () => {
      if (this.process) this.#later(10, look);
      else if (this.life.state === "stopping") this.say({ type: "gone" });
    };
    this.#later(0, look);
  }

  #later(ms: number, run: () => void): void {
    this.#events.push(this.#at(ms, run));
  }

  #at(ms: number, run: () => void): Event {
    return { at: this.now + ms, run };
  }
}

/** Dice that fall the same way for the same seed. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
