/** A machine: what is on its disk stays, whatever is killed; its agents live on; its cortex has one life after the other. */
import type { Engine } from "./engine.ts";
import { Machine } from "./machine.ts";
import type { Attempt, HostState, RunDisk } from "./state.ts";
import { times } from "./times.ts";
import type { Violations } from "./violations.ts";

/** So long after it was out of reach a host may still be seen as lost for it. */
const awayMs = times.leaseMs + 2 * times.longestOrphanMs;

export class SimHost extends Machine implements HostState {
  readonly runs = new Map<string, RunDisk>();
  readonly #violations: Violations;
  #lastBeat = 0;
  /** When it was cut off or asleep last: then its agents live on, and the others can't know. */
  lastAway = Number.NEGATIVE_INFINITY;
  /** The other hosts on which an agent of a run lives that nobody watches over. */
  others: (agentId: string) => string[] = () => [];
  /** The tokens that hold, each with its run. */
  readonly tokens = new Map<string, string>();
  /** The listeners who wait for an agent to say something, or to end. */
  #listeners: (() => void)[] = [];

  constructor(name: string, engine: Engine, violations: Violations) {
    super(name, engine);
    this.#violations = violations;
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

  override kill(): void {
    this.#silent();
    this.#listeners = [];
    super.kill();
  }

  /** SIGSTOP for its cortex; its agents go on, for a while. */
  override stop(): void {
    this.#silent();
    super.stop();
  }

  override wake(): void {
    this.lastAway = this.engine.now;
    super.wake();
  }

  /** Cortex beats no more. The watchdog of each run looks whether another does. */
  #silent(): void {
    if (!this.isUp || this.isStopped) return;
    const since = (this.#lastBeat = this.engine.now);
    const slack = this.engine.random() * (times.longestOrphanMs - times.orphanGraceMs);
    const look = () => {
      if (this.isAsleep) return this.onceAwake(() => this.engine.after(times.orphanGraceMs, look));
      if ((this.isUp && !this.isStopped) || this.#lastBeat !== since) return;
      for (const [agentId, { attempts }] of this.runs)
        for (const [number, attempt] of attempts)
          if (attempt.agent?.isAlive) {
            this.engine.say(`${this.name}: nobody watches over ${agentId}/${number}: its agent is stopped`);
            attempt.stop ??= "orphaned";
            this.endAgent(agentId, number, 143);
          }
    };
    this.engine.after(times.orphanGraceMs + slack, look);
  }

  #numbers = 0;

  /** A number that nothing else on this machine has. */
  nextNumber(): number {
    return ++this.#numbers;
  }

  attempt(agentId: string, number: number): Attempt {
    const { attempts } = this.disk(agentId);
    let attempt = attempts.get(number);
    if (!attempt)
      attempts.set(
        number,
        (attempt = { isStarted: false, out: "", cursor: "", isAsked: false, code: null, stop: null, agent: null }),
      );
    return attempt;
  }

  /** Whether an agent of a run lives here although its cortex doesn't, and was never merely out of reach. */
  hasOrphan(agentId: string): boolean {
    if ((this.isUp && !this.isStopped) || this.isAsleep || this.engine.now - this.lastAway < awayMs) return false;
    return [...(this.runs.get(agentId)?.attempts.values() ?? [])].some(({ agent }) => agent?.isAlive);
  }

  /** Starts an agent, at most once an attempt: the marker is exclusive. */
  spawn(agentId: string, number: number, script: string[], isExclusive = true): void {
    const attempt = this.attempt(agentId, number);
    if (attempt.isStarted && isExclusive) return;
    attempt.isStarted = true;
    this.#violations.born(agentId, number, this.name, this.others(agentId));
    const agent = { isAlive: true };
    attempt.agent = agent;
    let next = 0;
    const speak = () => {
      if (!agent.isAlive) return;
      if (this.isAsleep) return this.onceAwake(speak);
      const line = script[next++];
      if (line === undefined) return this.endAgent(agentId, number, 0);
      attempt.out += `${JSON.stringify(line === "finish" ? { event: line, result: "done" } : { event: line, text: `${number}: ${next}` })}\n`;
      this.#heard();
      this.engine.after(this.engine.between(5, 900), speak);
    };
    this.engine.after(this.engine.between(5, 300), speak);
    if (attempt.isAsked) this.ask(agentId, number);
  }

  /** Asks an agent to stop. One that isn't born yet hears it then. */
  ask(agentId: string, number: number): void {
    this.attempt(agentId, number).isAsked = true;
    this.engine.after(this.engine.between(1, 50), () => this.endAgent(agentId, number, 130));
  }

  /** Resolves when an agent of this machine has said something, or has ended. */
  news(): Promise<void> {
    return new Promise((resolve) => this.#listeners.push(resolve));
  }

  endAgent(agentId: string, number: number, code: number | null): void {
    const { agent } = this.attempt(agentId, number);
    if (!agent?.isAlive) return;
    agent.isAlive = false;
    this.attempt(agentId, number).code = code;
    this.engine.say(`${this.name}: agent ${agentId}/${number} ends, ${code ?? "nobody knows how"}`);
    this.#heard();
  }

  #heard(): void {
    const { life } = this;
    const tell = () => {
      for (const hear of this.#listeners.splice(0)) hear();
    };
    this.engine.after(this.engine.random() * 3, () => this.deliver(life, tell));
  }
}
