/** Carries out the table of a program's life: starts and stops its process, asks it, and says what has become of it. */
import { randomBytes } from "node:crypto";
import { messageOf } from "../../files/error-message.ts";
import type { SupervisedProgram } from "../../journal/programs/supervised.ts";
import type { Identity } from "../../proc/os/identity.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { ownTime } from "../../proc/os/own-time.ts";
import { Service } from "../../proc/programs/service.ts";
import type { SupervisorEvent } from "../../protocol/programs/supervisor-event.ts";
import { nonceName, type Program, type Probe, probeWithinMs } from "./program.ts";
import {
  type Effect,
  type Input,
  type Life,
  type Memory,
  newLife,
  next,
  type Said,
  shortGraceMs,
  type State,
  type Told,
} from "./table.ts";

export type KeptParts = {
  log: Logger;
  /** Before a start: the file that takes what it prints. */
  beginOutput: () => string;
  /** Nobody prints any more. */
  endOutput: () => void;
  /** Resolves when the program's record is written as it is now. */
  record: () => Promise<void>;
  tell: (event: SupervisorEvent) => void;
};

/** Its process: noted before it is made, so that none is ever unknown. */
type Process = { nonce: string; makeup: string; identity: Identity | null };

export class KeptProgram {
  readonly program: Program;
  readonly #parts: KeptParts;
  #life: Life;
  #process: Process | null = null;
  #service: Service | null = null;
  #timer: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #isReleased = false;
  /** What the last process was made of, living or not. */
  #lastMakeup: string | null = null;

  constructor(program: Program, parts: KeptParts, memory?: Memory) {
    this.program = program;
    this.#parts = parts;
    this.#life = newLife(Date.now(), memory);
  }

  get name(): string {
    return this.program.name;
  }

  get state(): State {
    return this.#life.state;
  }

  get needsMet(): boolean {
    return this.#life.needsMet;
  }

  get identity(): Identity | null {
    return this.#process?.identity ?? null;
  }

  /** Takes note of a living process of an earlier supervisor. `found` is said when all were noted. */
  note(identity: Identity, nonce: string, makeup: string): void {
    this.#process = { nonce, makeup, identity };
    this.#service = Service.adopt(identity);
  }

  /** Says something to the life. */
  step(said: Said): void {
    if (this.#isReleased) return;
    const before = this.#life.state;
    const { life, effects } = next(this.#life, { ...said, at: Date.now() } as Input);
    this.#life = life;
    if (said.type === "found") this.#follow();
    if (life.state !== before) {
      clearTimeout(this.#timer);
      clearTimeout(this.#probe);
      this.#parts.log.debug({ program: this.name, from: before, to: life.state, by: said.type }, "a program's life");
    }
    for (const effect of effects) this.#carryOut(effect);
    void this.#parts.record().catch(() => {}); // whoever writes it says so
  }

  /** Whether its living process was made of something that isn't so any more. */
  async isStale(): Promise<boolean> {
    const process = this.#process;
    if (!process || (this.state !== "up" && this.state !== "ready")) return false;
    const makeup = await this.program.makeup();
    return process === this.#process && makeup !== process.makeup;
  }

  /** Whether it said that starting it again is of no use, and would be made of something else now. */
  async isWorthAnotherTry(): Promise<boolean> {
    if (this.state !== "failed" || !this.#life.hasRefused) return false;
    return (await this.program.makeup()) !== this.#lastMakeup;
  }

  /** A signal to the process that lives. */
  signal(signal: NodeJS.Signals): void {
    this.#service?.signal(signal);
  }

  /** Leaves the process to whoever comes next. */
  release(): void {
    this.#isReleased = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#probe);
    this.#service?.release();
  }

  /** What is written down of it. */
  get supervised(): SupervisedProgram {
    const life = this.#life;
    return {
      name: this.name,
      state: shownState(life),
      identity: this.identity,
      nonce: this.#process?.nonce ?? null,
      makeup: this.#process?.makeup ?? null,
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

  #carryOut(effect: Effect): void {
    const { program } = this;
    switch (effect.do) {
      case "spawn":
        return void this.#spawn();
      case "probe":
        return this.#askLater(effect.afterMs);
      case "signal":
        return this.#service?.signal(signalFor(effect.how, program));
      case "signalGroup":
        return this.#service?.signalGroup(effect.signal);
      case "timer":
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.step({ type: "timer" }), this.#msOf(effect.afterMs));
        return;
      case "awaitGone":
        return void this.#service?.emptied().then(() => this.#gone());
      case "tell":
        return this.#tell(effect.event);
    }
  }

  #msOf(after: Extract<Effect, { do: "timer" }>["afterMs"]): number {
    if (typeof after === "number") return after;
    const graceMs = this.program.stopGraceMs();
    return after === "grace" ? graceMs : Math.min(graceMs, shortGraceMs);
  }

  async #spawn(): Promise<void> {
    const { program } = this;
    try {
      const nonce = randomBytes(16).toString("hex");
      const { command, env } = await program.launch(nonce);
      this.#process = { nonce, makeup: await program.makeup(), identity: null };
      this.#lastMakeup = this.#process.makeup;
      // Noted first: a supervisor that is killed right after the start leaves no process that nobody knows of.
      await this.#parts.record();
      if (this.#isReleased) return;
      if (!this.#life.wanted) return this.#gone();
      this.#service = await Service.start({
        command,
        env: { ...env, [nonceName]: nonce },
        logFile: this.#parts.beginOutput(),
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
        .catch((error: unknown) => this.#parts.log.error({ program: this.name, err: error }, "not noted"));
    this.step({ type: "spawned" });
    this.#follow();
  }

  #follow(): void {
    const service = this.#service;
    void service?.exited.then((end) => {
      if (service === this.#service) this.step({ type: "exited", end });
    });
  }

  #gone(): void {
    this.#process = null;
    this.#service = null;
    this.#parts.endOutput();
    this.step({ type: "gone" });
  }

  #askLater(afterMs: number | null): void {
    const service = this.#service;
    if (!service) return;
    clearTimeout(this.#probe);
    this.#probe = setTimeout(() => {
      const { state, startedAt } = this.#life;
      const probe = state === "ready" ? this.program.isResponsive : this.program.isReady;
      void asked(probe, service.identity.pid, startedAt ?? 0).then((answered) => {
        // What was asked of one process, or of a former state, is no answer now.
        if (service === this.#service && state === this.#life.state) this.step({ type: "probed", answered });
      });
    }, afterMs ?? this.program.askedEveryMs);
  }

  #tell(event: Told): void {
    const { log, tell } = this.#parts;
    const { reason, restarts, wanted, cause } = this.#life;
    const pid = this.identity?.pid ?? null;
    const fact = { program: this.name, event, program_pid: pid, restarts, reason };
    const words = `${this.name}: ${event.replace("_", " ")}${reason === null ? "" : ` (${reason})`}`;
    if (event === "failed") log.error(fact, `${words}: cortex logs ${this.name}`);
    else if (wanted && isTrouble(event, cause)) log.warn(fact, words);
    else log.info(fact, words);
    tell({ event, ts: Date.now(), program: this.name, pid, restarts, reason });
  }
}

function isTrouble(event: Told, cause: Life["cause"]): boolean {
  return event === "unresponsive" || event === "backing_off" || (event === "exited" && cause !== "renewed");
}

/** A probe that throws or hangs is a no. */
async function asked(probe: Probe, pid: number, startedAt: number): Promise<boolean> {
  const heard = new AbortController();
  try {
    return await Promise.race([probe({ pid, startedAt }), ownTime(probeWithinMs, heard.signal)]);
  } catch {
    return false;
  } finally {
    heard.abort();
  }
}

function signalFor(how: "polite" | "again" | "yield", { stopSignal, againSignal, yieldSignal }: Program) {
  return { polite: stopSignal, again: againSignal ?? stopSignal, yield: yieldSignal }[how];
}

function shownState({ state, wanted }: Life): SupervisedProgram["state"] {
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
