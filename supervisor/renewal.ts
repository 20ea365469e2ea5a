/** Renews programs whose settings, or whose needs' addresses, have changed since they were started. */
import type { Logger } from "../proc/logging/log.ts";
import type { Program } from "./programs/program.ts";
import type { SupervisedProgram } from "./supervision/supervised-program.ts";

/**
 * Milliseconds after which a program that asked not to be started again is checked again for a change, such as a file
 * with a secret that is there now.
 */
const checkEveryMs = 1000;

export class Renewal {
  readonly #programs: readonly SupervisedProgram[];
  readonly #log: Pick<Logger, "warn">;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(programs: readonly SupervisedProgram[], log: Pick<Logger, "warn">) {
    this.#programs = programs;
    this.#log = log;
  }

  /** Checks from now on whether a program that refused to start would start otherwise now. */
  start(): void {
    this.#timer = setInterval(() => void this.#retryRefused(), checkEveryMs).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Has programs read their settings again, starts and stops those that depend on them, and gives those that have failed another chance. */
  reread(): void {
    for (const supervised of this.#programs) {
      if (!this.#isStopped) supervised.followSettings();
      if (supervised.program.rereads && supervised.state === "ready") supervised.signal("SIGHUP");
      supervised.step({ type: "retry" });
      void this.#followSettings(supervised);
    }
  }

  /** Renews the programs whose fingerprint is out of date since a program that they need is at another address. */
  async renewStale(): Promise<void> {
    for (const supervised of this.#programs)
      if (await supervised.isStale()) supervised.step({ type: "renew", reason: "what it needs is elsewhere now" });
  }

  /** Applies the settings around a program. False while they can't be applied. */
  async refresh({ name, refresh }: Program): Promise<boolean> {
    try {
      await refresh?.();
      return true;
    } catch (error) {
      this.#log.warn({ err: error, program: name }, "the settings couldn't be applied");
      return false;
    }
  }

  /** A program that can't reread its settings is renewed when they change its fingerprint. While they are broken it stays. */
  async #followSettings(supervised: SupervisedProgram): Promise<void> {
    if (supervised.program.rereads || !(await this.refresh(supervised.program)) || this.#isStopped) return;
    if (await supervised.isStale()) supervised.step({ type: "renew", reason: "the settings want it otherwise" });
  }

  async #retryRefused(): Promise<void> {
    for (const supervised of this.#programs) {
      if (!(await supervised.isWorthAnotherTry().catch(() => false)) || this.#isStopped) continue;
      supervised.followSettings();
      supervised.step({ type: "retry" });
    }
  }
}
