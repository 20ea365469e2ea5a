/** A supervised program: starts, probes and stops its process as the state machine of its life asks for. */
import { randomBytes } from "node:crypto";
import { messageOf } from "../../files/error-message.ts";
import type { ProgramStatus } from "../../journal/programs/supervised.ts";
import type { Identity } from "../../proc/os/identity.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { activeTimeout } from "../../proc/os/active-timeout.ts";
import { Service } from "../../proc/programs/service.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { nonceName, type Program, type Probe, probeWithinMs } from "./program.ts";
import { announce } from "./announce.ts";
import {
  newLife,
  type LifeState,
  type ProgramEffect,
  type ProgramInput,
  type ProgramLife,
  type ProgramMemory,
  type UntimedInput,
} from "./program-life.ts";
import { nextLife } from "./program-state-machine.ts";
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

/** The process of a program: recorded before it is started, so that none is ever unknown. */
type Process = { nonce: string; fingerprint: string; identity: Identity | null };

export class SupervisedProgram {
  readonly program: Program;
  readonly #deps: SupervisionDeps;
  #life: ProgramLife;
  #process: Process | null = null;
  #service: Service | null = null;
  #timer: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #isReleased = false;
  /** Fingerprint of the last process, living or not. */
  #lastFingerprint: string | null = null;

  constructor(program: Program, deps: SupervisionDeps, memory?: ProgramMemory) {
    this.program = program;
    this.#deps = deps;
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

  get identity(): Identity | null {
    return this.#process?.identity ?? null;
  }

  /** Adopts a living process of an earlier supervisor. The input `found` comes when all were adopted. */
  adopt(identity: Identity, nonce: string, fingerprint: string): void {
    this.#process = { nonce, fingerprint, identity };
    this.#service = Service.adopt(identity);
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
    const process = this.#process;
    if (!process || (this.state !== "up" && this.state !== "ready")) return false;
    const fingerprint = await this.program.fingerprint();
    return process === this.#process && fingerprint !== process.fingerprint;
  }

  /** Whether it asked not to be started again, and its fingerprint has changed since. */
  async isWorthAnotherTry(): Promise<boolean> {
    if (this.state !== "failed" || !this.#life.hasRefused) return false;
    return (await this.program.fingerprint()) !== this.#lastFingerprint;
  }

  /** Sends a signal to the living process. */
  signal(signal: NodeJS.Signals): void {
    this.#service?.signal(signal);
  }

  /** Leaves the process to the next supervisor. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#probe);
    this.#service?.release();
  }

  /** Its status, for `.run/supervisor.json`. */
  get status(): ProgramStatus {
    const life = this.#life;
    return {
      name: this.name,
      state: shownState(life),
      identity: this.identity,
      nonce: this.#process?.nonce ?? null,
      makeup: this.#process?.fingerprint ?? null,
      started_at: life.startedAt,
      restarts: life.restarts,
      since: life.since,
      reason: life.state === "down" && life.wanted && !life.needsMet ? this.#waitsFor : life.reason,
      deaths: life.deaths,
      streak: life.streak,
      has_failed: life.hasFailed,
      not_before: life.notBefore,
    };
  }

  get #waitsFor(): string {
    return `waits for ${this.program.needs.join(", ")}`;
  }

  #carryOut(effect: ProgramEffect, input: UntimedInput): void {
    const { program } = this;
    switch (effect.do) {
      case "spawn":
        return void this.#spawn();
      case "probe":
        return this.#probeLater(effect.afterMs);
      case "signal":
        return this.#service?.signal(signalFor(effect.how, program));
      case "signalGroup":
        return this.#service?.signalGroup(effect.signal);
      case "timer":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.step({ type: "timer" }), this.#msOf(effect.afterMs));
        return;
      case "awaitGone":
        return void this.#service?.emptied().then(() => this.#forgetProcess());
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
    const { program } = this;
    try {
      const nonce = randomBytes(16).toString("hex");
      const { command, env } = await program.launch(nonce);
      this.#process = { nonce, fingerprint: await program.fingerprint(), identity: null };
      this.#lastFingerprint = this.#process.fingerprint;
      // Recorded first: a supervisor killed right after the start leaves no unknown process.
      await this.#deps.record();
      if (this.#isReleased) return;
      if (!this.#life.wanted) return this.#forgetProcess();
      this.#service = await Service.start({
        command,
        env: { ...env, [nonceName]: nonce },
        logFile: this.#deps.beginOutput(),
      });
      this.#process.identity = this.#service.identity;
    } catch (error) {
      this.#process = null;
      return this.step({ type: "spawnFailed", error: messageOf(error) });
    }
    const { nonce, identity } = this.#process;
    if (identity)
      program
        .launched?.(nonce, identity)
        .catch((error: unknown) =>
          this.#deps.log.error({ program: this.name, err: error }, "the process couldn't be recorded"),
        );
    this.step({ type: "spawned" });
    this.#awaitExit();
  }

  #awaitExit(): void {
    const service = this.#service;
    void service?.exited.then((end) => {
      if (service === this.#service) this.step({ type: "exited", end });
    });
  }

  #forgetProcess(): void {
    this.#process = null;
    this.#service = null;
    this.#deps.endOutput();
    this.step({ type: "gone" });
  }

  #probeLater(afterMs: number | null): void {
    const service = this.#service;
    if (!service) return;
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      const { state, startedAt } = this.#life;
      const probe = state === "ready" ? this.program.isResponsive : this.program.isReady;
      void answers(probe, service.identity.pid, startedAt ?? 0).then((answered) => {
        // A late answer of another process, or to a former state, doesn't count.
        if (service === this.#service && state === this.#life.state) this.step({ type: "probed", answered });
      });
    }, afterMs ?? this.program.askedEveryMs);
  }
}

/** Whether a process answers. A probe that throws or hangs counts as no answer. */
async function answers(probe: Probe, pid: number, startedAt: number): Promise<boolean> {
  const settled = new AbortController();
  try {
    return await Promise.race([probe({ pid, startedAt }), activeTimeout(probeWithinMs, settled.signal)]);
  } catch {
    return false;
  } finally {
    settled.abort();
  }
}

function signalFor(how: "polite" | "again" | "yield", { stopSignal, againSignal, yieldSignal }: Program) {
  return { polite: stopSignal, again: againSignal ?? stopSignal, yield: yieldSignal }[how];
}

function shownState({ state, wanted }: ProgramLife): ProgramStatus["state"] {
  switch (state) {
    case "down":
      return wanted ? "waiting" : "stopped";
    case "up":
      return "starting";
    case "backingOff":
      return "backing_off";
    default:
      return state;
  }
}
