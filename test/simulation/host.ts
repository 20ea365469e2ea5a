/** A machine: what is on its disk stays, whatever is killed; its agents live on; its cortex has one life after the other. */
import type { Run } from "../../cortex/table.ts";
import type { Engine } from "./engine.ts";
import { times } from "./times.ts";
import type { Violations } from "./violations.ts";

/** An event of a run. Who wrote it is known by its tag. */
export type SimEvent = { seq: number; name: string; attempt: number; tag: number; line: number | null };

export type Agent = { isAlive: boolean; script: string[] };

export type Attempt = {
  isStarted: boolean;
  out: string[];
  code: number | null;
  stop: string | null;
  agent: Agent | null;
};

/** What a run has on a disk. */
export type RunDisk = {
  hasFolder: boolean;
  file: SimEvent[] | null;
  isCommitted: boolean;
  record: Pick<Run, "attempt" | "lost"> | null;
  child: string | null;
  attempts: Map<number, Attempt>;
};

/** So long after it was out of reach a host may still be seen as lost for it. */
const awayMs = times.leaseMs + 2 * times.longestOrphanMs;

export class Host {
  readonly name: string;
  readonly runs = new Map<string, RunDisk>();
  readonly #engine: Engine;
  readonly #violations: Violations;
  /** Counts the lives of its cortex. */
  life = 0;
  isUp = false;
  isStopped = false;
  /** The whole machine sleeps, with its agents and its steady clock. */
  isAsleep = false;
  clockOffset = 0;
  #slept = 0;
  #fellAsleep = 0;
  #lastBeat = 0;
  #held: { life: number; what: () => void }[] = [];
  #sleeping: (() => void)[] = [];
  /** When it was cut off or asleep last: then its agents live on, and the others can't know. */
  lastAway = Number.NEGATIVE_INFINITY;
  /** The other hosts on which an agent of a run lives that nobody watches over. */
  others: (agentId: string) => string[] = () => [];
  onAgent: (agentId: string, attempt: number) => void = () => {};

  constructor(name: string, engine: Engine, violations: Violations) {
    this.name = name;
    this.#engine = engine;
    this.#violations = violations;
  }

  get wall(): number {
    return this.#engine.now + this.clockOffset;
  }

  get steady(): number {
    return this.#engine.now - this.#slept;
  }

  disk(agentId: string): RunDisk {
    let disk = this.runs.get(agentId);
    if (!disk)
      this.runs.set(
        agentId,
        (disk = { hasFolder: false, file: null, isCommitted: false, record: null, child: null, attempts: new Map() }),
      );
    return disk;
  }

  /** Something reaches cortex, if it is still the same one; when it stands still, as soon as it goes on. */
  deliver(life: number, what: () => void): void {
    if (!this.isUp || life !== this.life) return;
    if (this.isStopped || this.isAsleep) this.#held.push({ life, what });
    else what();
  }

  /** Cortex's own timer. */
  after(ms: number, what: () => void): void {
    const { life } = this;
    this.#engine.after(ms, () => this.deliver(life, what));
  }

  /** A step on the disk takes a moment, in which anything may happen. */
  moment(): Promise<void> {
    return new Promise((resolve) => this.after(this.#engine.random() * 4, resolve));
  }

  boot(): void {
    this.life++;
    this.isUp = true;
    this.isStopped = false;
    this.#held = [];
  }

  kill(): void {
    this.#silent();
    this.isUp = false;
    this.isStopped = false;
    this.#held = [];
  }

  /** SIGSTOP for its cortex; its agents go on, for a while. */
  stop(): void {
    this.#silent();
    this.isStopped = true;
  }

  goOn(): void {
    this.isStopped = false;
    this.#release();
  }

  sleep(): void {
    this.isAsleep = true;
    this.#fellAsleep = this.#engine.now;
  }

  wake(): void {
    this.isAsleep = false;
    this.lastAway = this.#engine.now;
    this.#slept += this.#engine.now - this.#fellAsleep;
    for (const what of this.#sleeping.splice(0)) this.#engine.after(this.#engine.random() * 5, what);
    this.#release();
  }

  #release(): void {
    for (const { life, what } of this.#held.splice(0)) this.#engine.after(0, () => this.deliver(life, what));
  }

  /** Cortex beats no more. The watchdog of each run looks whether another does. */
  #silent(): void {
    if (!this.isUp || this.isStopped) return;
    const since = (this.#lastBeat = this.#engine.now);
    const slack = this.#engine.random() * (times.longestOrphanMs - times.orphanGraceMs);
    const look = () => {
      if (this.isAsleep) return void this.#sleeping.push(() => this.#engine.after(times.orphanGraceMs, look));
      if ((this.isUp && !this.isStopped) || this.#lastBeat !== since) return;
      for (const [agentId, { attempts }] of this.runs)
        for (const [number, attempt] of attempts)
          if (attempt.agent?.isAlive) {
            this.#engine.say(`${this.name}: nobody watches over ${agentId}/${number}: its agent is stopped`);
            attempt.stop ??= "orphaned";
            this.endAgent(agentId, number, 143);
          }
    };
    this.#engine.after(times.orphanGraceMs + slack, look);
  }

  attempt(agentId: string, number: number): Attempt {
    const { attempts } = this.disk(agentId);
    let attempt = attempts.get(number);
    if (!attempt) attempts.set(number, (attempt = { isStarted: false, out: [], code: null, stop: null, agent: null }));
    return attempt;
  }

  /** Whether an agent of a run lives here although its cortex doesn't, and was never merely out of reach. */
  hasOrphan(agentId: string): boolean {
    if ((this.isUp && !this.isStopped) || this.isAsleep || this.#engine.now - this.lastAway < awayMs) return false;
    return [...(this.runs.get(agentId)?.attempts.values() ?? [])].some(({ agent }) => agent?.isAlive);
  }

  /** Starts an agent, at most once an attempt: the marker is exclusive. */
  spawn(agentId: string, number: number, script: string[], isExclusive = true): void {
    const attempt = this.attempt(agentId, number);
    if (attempt.isStarted && isExclusive) return;
    attempt.isStarted = true;
    this.#violations.born(agentId, number, this.name, this.others(agentId));
    const agent: Agent = { isAlive: true, script };
    attempt.agent = agent;
    let next = 0;
    const speak = () => {
      if (!agent.isAlive) return;
      if (this.isAsleep) return void this.#sleeping.push(speak);
      const line = script[next++];
      if (line === undefined) return this.endAgent(agentId, number, 0);
      attempt.out.push(line);
      this.#heard(agentId, number);
      this.#engine.after(this.#engine.between(5, 900), speak);
    };
    this.#engine.after(this.#engine.between(5, 300), speak);
  }

  endAgent(agentId: string, number: number, code: number | null): void {
    const { agent } = this.attempt(agentId, number);
    if (!agent?.isAlive) return;
    agent.isAlive = false;
    this.attempt(agentId, number).code = code;
    this.#engine.say(`${this.name}: agent ${agentId}/${number} ends, ${code ?? "nobody knows how"}`);
    this.#heard(agentId, number);
  }

  #heard(agentId: string, number: number): void {
    const { life } = this;
    this.#engine.after(this.#engine.random() * 3, () => this.deliver(life, () => this.onAgent(agentId, number)));
  }
}
