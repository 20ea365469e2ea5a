/** Faults of a system under soak: programs are killed with -9, services ask to wait, break off, and drop connections. */
import { setTimeout as delay } from "node:timers/promises";
import { adapterProgram } from "../../../protocol/agents/channel-settings.ts";
import type { AgentsSystem } from "../../agents/agents-system.ts";
import { programNames } from "../../supervisor/up-process.ts";
import { hasEnded, signalIfThere } from "../../support/journal-processes.ts";
import type { PlayedService } from "../table/played-service.ts";

/** Milliseconds in which a program that was killed must be back. */
const backMs = 120_000;

export type FaultCounts = Record<string, number>;

/** The schedule has nothing to do here. */
const isKilled = (program: string) => program !== "schedule";

export class SoakFaults {
  /** How often each program was killed, and each kind of fault was ordered. */
  readonly counts: FaultCounts = {};
  readonly #system: AgentsSystem;
  readonly #services: readonly PlayedService[];
  readonly #roll: (below: number) => number;
  /** Victims of this round, each killed once before any is killed again: a program that dies too often is given up for a while. */
  #next: string[] = [];

  constructor(system: AgentsSystem, services: readonly PlayedService[], roll: (below: number) => number) {
    this.#system = system;
    this.#services = services;
    this.#roll = roll;
  }

  /**
   * Kills one program after another, with other faults between, until it is told to stop; then everything is there again.
   * @param everyMs the time between two faults, at most; a program is back before the next
   */
  async happen(everyMs: number, stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await delay(this.#roll(everyMs), undefined, { signal: stop }).catch(() => {});
      if (stop.aborted) break;
      this.#failService();
      await this.#kill();
    }
  }

  async #kill(): Promise<void> {
    const adapters = this.#services.map(({ type }) => adapterProgram(type));
    if (this.#next.length === 0) this.#next = [...adapters, ...programNames.filter(isKilled), "supervisor"];
    const [victim = ""] = this.#next.splice(this.#roll(this.#next.length), 1);
    const pid = this.#system.pidOf(victim);
    if (pid === 0) return;
    this.#count(`killed ${victim}`);
    signalIfThere(pid, "SIGKILL");
    await this.#system.until(() => hasEnded(pid), `${victim} has ended`, backMs);
    await this.#system.restart();
    const isBack = () => adapters.every((name) => this.#system.up.isReady(name));
    await this.#system.until(isBack, `all adapters are back, as ${victim} is`, backMs);
  }

  #failService(): void {
    const service = this.#one(this.#services);
    const kind = this.#one(["limit", "broken", "drop"] as const);
    this.#count(kind === "drop" ? `connections of ${service.type} broken` : `${service.type}: ${kind}`);
    if (kind === "drop") service.drop();
    else service.fail?.(kind);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#roll(list.length)] as T;
  }
}
