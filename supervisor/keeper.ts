/** Keeps one program running: starts it, waits until it is ready, starts it again when it dies. */
import { setTimeout as delay } from "node:timers/promises";
import type { Supervised } from "../journal/supervised.ts";
import type { Logger } from "../proc/log.ts";
import { Service } from "../proc/service.ts";
import type { Program } from "./program.ts";

/** How long a program waits before it is started again: the first time not at all. */
const backoffMs = [0, 1000, 2000, 5000];
/** A program that ran this long is forgiven its former ends. */
const steadyMs = 60_000;
/** How often readiness is asked for, and for how long. */
const probeEveryMs = 10;
const readyWithinMs = 30_000;

export type KeptState = Supervised["programs"][number];

export class Keeper {
  readonly program: Program;
  readonly #log: Logger;
  readonly #logFile: string;
  readonly #onChange: () => void;
  #service: Service | null = null;
  #state: KeptState["state"] = "stopped";
  #since = Date.now();
  #restarts = 0;
  #isWanted = true;
  #life: Promise<void> = Promise.resolve();
  readonly #halt = new AbortController();

  constructor(program: Program, logFile: string, log: Logger, onChange: () => void) {
    this.program = program;
    this.#logFile = logFile;
    this.#log = log;
    this.#onChange = onChange;
  }

  get state(): KeptState {
    const identity = this.#service?.identity ?? null;
    return { name: this.program.name, state: this.#state, identity, restarts: this.#restarts, since: this.#since };
  }

  /**
   * Starts the program. Resolves when it is ready; from then on it is kept running.
   * @throws Error when it doesn't become ready the first time
   */
  async start(): Promise<void> {
    const service = await this.#startOnce();
    this.#life = this.#keep(service);
  }

  /** Stops the program for good. */
  async stop(signal = this.program.stopSignal): Promise<void> {
    this.#isWanted = false;
    this.#halt.abort();
    if (this.#service?.isRunning) {
      this.#become("stopping");
      await this.#service.stop(signal, this.program.stopGraceMs);
    }
    await this.#life;
    this.#become("stopped");
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#service?.isRunning) this.#service.signal(signal);
  }

  async #startOnce(): Promise<Service> {
    this.#become("starting");
    const { command, env, isReady, name } = this.program;
    const service = await Service.start({ command: await command(), env, logFile: this.#logFile });
    this.#service = service;
    this.#onChange();
    const deadline = performance.now() + readyWithinMs;
    while (!(await isReady(service.identity.pid))) {
      if (!service.isRunning) {
        const { code, signal } = await service.exited;
        this.#become("failed");
        throw new Error(`${name} ended before it was ready (${signal ?? `exit code ${code}`}): see ${this.#logFile}`);
      }
      if (performance.now() > deadline) {
        await service.stop("SIGKILL", 0);
        this.#become("failed");
        throw new Error(`${name} wasn't ready within ${readyWithinMs / 1000} s: see ${this.#logFile}`);
      }
      await delay(probeEveryMs);
    }
    this.#become("ready");
    return service;
  }

  async #keep(first: Service): Promise<void> {
    let service: Service | null = first;
    for (let failures = 0; ; ) {
      if (service) {
        const started = performance.now();
        const { code, signal } = await service.exited;
        if (!this.#isWanted) return;
        if (performance.now() - started > steadyMs) failures = 0;
        this.#log.warn({ program: this.program.name, code, signal }, "a program ended; it is started again");
      }
      this.#become("stopped");
      const pauseMs = backoffMs[Math.min(failures++, backoffMs.length - 1)] ?? 0;
      await delay(pauseMs, undefined, { signal: this.#halt.signal }).catch(() => {});
      if (!this.#isWanted) return;
      this.#restarts++;
      service = await this.#startOnce().catch((error: unknown) => {
        this.#log.error({ err: error }, "a program couldn't be started again");
        return null;
      });
    }
  }

  #become(state: KeptState["state"]): void {
    this.#state = state;
    this.#since = Date.now();
    this.#onChange();
  }
}
