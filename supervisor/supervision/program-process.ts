/** The process of a supervised program: named before it is started, so that it can be recorded first, and started or adopted. */
import { randomBytes } from "node:crypto";
import type { ProcessIdentity } from "../../proc/processes/identity.ts";
import { Service } from "../../proc/programs/service.ts";
import { nonceName } from "../../proc/programs/program-nonce.ts";
import type { Program } from "../programs/program.ts";

/** How a process was or is about to be started. `identity` is null until it has. */
type Start = { nonce: string; fingerprint: string; identity: ProcessIdentity | null };

/** The command and the environment of a start. */
export type ProgramLaunch = Awaited<ReturnType<Program["launch"]>>;

export class ProgramProcess {
  readonly #program: Program;
  #start: Start | null = null;
  #service: Service | null = null;
  /** Fingerprint of the last process, living or not. */
  #lastFingerprint: string | null = null;

  constructor(program: Program) {
    this.#program = program;
  }

  get identity(): ProcessIdentity | null {
    return this.#start?.identity ?? null;
  }

  get nonce(): string | null {
    return this.#start?.nonce ?? null;
  }

  get fingerprint(): string | null {
    return this.#start?.fingerprint ?? null;
  }

  /** The living process, or one of whose group something is left. */
  get service(): Service | null {
    return this.#service;
  }

  /** Adopts a living process of an earlier supervisor. */
  adopt(identity: ProcessIdentity, nonce: string, fingerprint: string): void {
    this.#start = { nonce, fingerprint, identity };
    this.#service = Service.adopt(identity);
  }

  /** Names the next process. To be recorded before `start`: a supervisor killed right after that leaves no unknown process. */
  async prepare(): Promise<ProgramLaunch> {
    const nonce = randomBytes(16).toString("hex");
    const launch = await this.#program.launch(nonce);
    this.#start = { nonce, fingerprint: await this.#program.fingerprint(), identity: null };
    this.#lastFingerprint = this.#start.fingerprint;
    return launch;
  }

  /** Starts the prepared process. @throws Error when it can't be started */
  async start({ command, env }: ProgramLaunch, logFile: string): Promise<void> {
    const start = this.#start;
    if (!start) throw new Error(`a process of ${this.#program.name} was started unprepared`);
    this.#service = await Service.start({ command, env: { ...env, [nonceName]: start.nonce }, logFile });
    start.identity = this.#service.identity;
  }

  /** Nothing is left of the process, or it couldn't be started. */
  clear(): void {
    this.#start = null;
    this.#service = null;
  }

  /** Whether the fingerprint of this process is out of date. */
  async isStale(): Promise<boolean> {
    const start = this.#start;
    if (!start) return false;
    const fingerprint = await this.#program.fingerprint();
    return start === this.#start && fingerprint !== start.fingerprint;
  }

  /** Whether a start now would use anything else than the last one did. */
  async hasChanged(): Promise<boolean> {
    return (await this.#program.fingerprint()) !== this.#lastFingerprint;
  }
}
