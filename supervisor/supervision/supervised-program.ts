/** A supervised program: starts, probes and stops its process as the state machine of its life asks for. */
import { messageOf } from "../../files/errors/error-message.ts";
import type { ProgramStatus } from "../../journal/programs/supervised.ts";
import type { ProcessIdentity } from "../../proc/processes/identity.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { announce } from "./announce.ts";
import { probeAnswers } from "../programs/probe.ts";
import type { Program } from "../programs/program.ts";
import {
  newLife,
  type LifeState,
  type ProgramEffect,
  type ProgramInput,
  type ProgramLife,
  type ProgramMemory,
  type UntimedInput,
} from "./program-life.ts";
import { ProgramProcess } from "./program-process.ts";
import { nextLife } from "./program-state-machine.ts";
import { statusOf } from "./program-status.ts";
import { shortGraceMs } from "./program-timings.ts";

export type SupervisionDeps = {
  log: Logger;
  /** Opens a file for captured output, before a start. */
  beginOutput: () => string;
  /** Takes that file in, once nobody can write to it any more. */
  endOutput: () => void;
  /** Resolves when the program's present status is written. */
  record: () => Promise<void>;
  announce: (event: SupervisorEvent) => void;
};

export class SupervisedProgram {
  readonly program: Program;
  readonly #deps: SupervisionDeps;
  #life: ProgramLife;
  readonly #process: ProgramProcess;
  #timer: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #isReleased = false;

  constructor(program: Program, deps: SupervisionDeps, memory?: ProgramMemory) {
    this.program = program;
    this.#deps = deps;
    this.#process = new ProgramProcess(program);
    this.#life = newLife(Date.now(), memory);
  }

  get name(): string {
    return this.program.name;
  }

  get state(): LifeState {
    return this.#life.state;
  }

  get needsMet(): boolean {
    return this.#life.needsMet;
  }

  get identity(): ProcessIdentity | null {
    return this.#process.identity;
  }

  /** Adopts a living process of an earlier supervisor. The input `found` comes when all were adopted. */
  adopt(identity: ProcessIdentity, nonce: string, fingerprint: string): void {
    this.#process.adopt(identity, nonce, fingerprint);
  }

  /** Wants it, unless only the settings ask for it, and they don't. */
  followSettings(): void {
    this.step(this.#isAskedFor ? { type: "want" } : { type: "unwant", kill: false });
  }

  get #isAskedFor(): boolean {
    return this.program.isWanted?.() ?? true;
  }

  /** Whether the settings don't ask for it, and nothing of it is left. */
  get isAbsent(): boolean {
    return this.program.isWanted !== undefined && this.state === "down" && !this.#life.wanted;
  }

  /** Gives the life an input, and carries out the effects of the transition. */
  step(input: UntimedInput): void {
    if (this.#isReleased) return;
    const before = this.#life.state;
    const { life, effects } = nextLife(this.#life, { ...input, at: Date.now() } as ProgramInput);
    this.#life = life;
    if (input.type === "found") this.#awaitExit();
    if (life.state !== before) {
      clearTimeout(this.#timer);
      clearTimeout(this.#probe);
      this.#deps.log.debug({ program: this.name, from: before, to: life.state, by: input.type }, "program state");
    }
    for (const effect of effects) this.#carryOut(effect, input);
    void this.#deps.record().catch(() => {}); // the writer logs it
  }

  /** Whether the fingerprint of its living process is out of date. */
  async isStale(): Promise<boolean> {
    return (this.state === "up" || this.state === "ready") && (await this.#process.isStale());
  }

  /** Whether it asked not to be started again, and since then its fingerprint has changed, or the settings don't ask for it. */
  async isWorthAnotherTry(): Promise<boolean> {
    if (this.state !== "failed" || !this.#life.hasRefused) return false;
    return !this.#isAskedFor || (await this.#process.hasChanged());
  }

  /** Sends a signal to the living process. */
  signal(signal: NodeJS.Signals): void {
    this.#process.service?.signal(signal);
  }

  /** Leaves the process to the next supervisor. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#probe);
    this.#process.service?.release();
  }

  /** Its status, for `.run/supervisor.json`. */
  get status(): ProgramStatus {
    return statusOf(this.program, this.#life, this.#process);
  }

  #carryOut(effect: ProgramEffect, input: UntimedInput): void {
    const { program } = this;
    switch (effect.do) {
      case "spawn":
        return void this.#spawn();
      case "probe":
        return this.#probeLater(effect.afterMs);
      case "signal":
        return this.#process.service?.signal(signalFor(effect.how, program));
      case "signalGroup":
        return this.#process.service?.signalGroup(effect.signal);
      case "timer":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.step({ type: "timer" }), this.#msOf(effect.afterMs));
        return;
      case "awaitGone":
        return void this.#process.service?.emptied().then(() => this.#clearProcess());
      case "announce":
        return announce(effect.event, this.status, this.#life, this.#deps);
      case "reportImpossible": {
        const { state } = this.#life;
        return this.#deps.log.error({ program: this.name, state, input: input.type }, "ignoring an impossible input");
      }
    }
  }

  #msOf(after: Extract<ProgramEffect, { do: "timer" }>["afterMs"]): number {
    if (typeof after === "number") return after;
    const graceMs = this.program.stopGraceMs();
    return after === "grace" ? graceMs : Math.min(graceMs, shortGraceMs);
  }

  async #spawn(): Promise<void> {
    try {
      const launch = await this.#process.prepare();
      await this.#deps.record();
      if (this.#isReleased) return;
      if (!this.#life.wanted) return this.#clearProcess();
      await this.#process.start(launch, this.#deps.beginOutput());
    } catch (error) {
      this.#process.clear();
      return this.step({ type: "spawnFailed", error: messageOf(error) });
    }
    this.#recordLaunched();
    this.step({ type: "spawned" });
    this.#awaitExit();
  }

  #recordLaunched(): void {
    const { nonce, identity } = this.#process;
    if (nonce === null || identity === null) return;
    this.program
      .launched?.(nonce, identity)
      .catch((error: unknown) =>
        this.#deps.log.error({ program: this.name, err: error }, "the process couldn't be recorded"),
      );
  }

  #awaitExit(): void {
    const { service } = this.#process;
    void service?.exited.then((end) => {
      if (service === this.#process.service) this.step({ type: "exited", end });
    });
  }

  #clearProcess(): void {
    this.#process.clear();
    this.#deps.endOutput();
    this.step({ type: "gone" });
  }

  #probeLater(afterMs: number | null): void {
    const { service } = this.#process;
    if (!service) return;
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      const { state, startedAt } = this.#life;
      const probe = state === "ready" ? this.program.isResponsive : this.program.isReady;
      void probeAnswers(probe, service.identity.pid, startedAt ?? 0).then((answered) => {
        // A late answer of another process, or to a former state, doesn't count.
        if (service === this.#process.service && state === this.#life.state) this.step({ type: "probed", answered });
      });
    }, afterMs ?? this.program.askedEveryMs);
  }
}

function signalFor(how: "polite" | "again" | "yield", { stopSignal, againSignal, yieldSignal }: Program) {
  return { polite: stopSignal, again: againSignal ?? stopSignal, yield: yieldSignal }[how];
}
