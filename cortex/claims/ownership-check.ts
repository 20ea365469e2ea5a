/** Asks the bus whether a run is still this worker's: before it starts, before it ends, after the bus was away. */
import { setTimeout as delay } from "node:timers/promises";
import type { Ledger } from "../../bus/claims/ledger.ts";
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import type { Claims } from "./claims.ts";
import { isOursUnclaimed } from "./ownership.ts";

/** How long it waits for a lease that holds, until it asks again. */
const againMs = 500;

export type OwnershipParts = {
  worker: string;
  /** Whether the bus is this journal's own: then nobody else can have taken a run over while it was away. */
  isPrivateBus: boolean;
  ledger: Ledger;
  claims: Claims;
  leases: WorkerLeases;
};

/** What it needs of the cortex around it. */
export type OwnershipSurroundings = {
  /** Asks until the bus answers. */
  insist: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Whether nothing waits for the bus any longer. */
  isGivingUp: () => boolean;
};

export class OwnershipCheck {
  readonly #parts: OwnershipParts;
  readonly #around: OwnershipSurroundings;

  constructor(parts: OwnershipParts, around: OwnershipSurroundings) {
    this.#parts = parts;
    this.#around = around;
  }

  /** Whether an attempt may start here, which is noted on the bus. @throws Error when cortex stops before that is known */
  mayStart(agentId: string, attempt: number): Promise<boolean> {
    return this.#whileFresh(() => this.#parts.claims.begin(agentId, attempt));
  }

  /**
   * Whether a run may be ended here. While the lease holds nobody can have taken it over, and where there is nobody else
   * nobody will have. @throws Error when cortex stops before that is known
   */
  async mayEnd(agentId: string): Promise<boolean> {
    const { claims, leases, isPrivateBus } = this.#parts;
    if (leases.isFresh && claims.isHeld(agentId)) return true;
    if (isPrivateBus && leases.isAlone) return true;
    return this.#whileFresh(async () => {
      await claims.confirm(agentId);
      return this.isOurs(agentId);
    });
  }

  /** Whether a run is still this worker's, by a claim that has just been confirmed. @throws Error when the bus doesn't answer */
  async isOurs(agentId: string): Promise<boolean> {
    const { claims, ledger, worker } = this.#parts;
    if (claims.isHeld(agentId)) return true;
    const ended = (await ledger.entry(agentId))?.ended;
    if (claims.isHeld(agentId)) return true; // by now
    return isOursUnclaimed(claims.get(agentId), ended, worker);
  }

  /** An answer that lay about while this worker slept is no news: it counts while the lease holds. */
  async #whileFresh(ask: () => Promise<boolean>): Promise<boolean> {
    const { leases, isPrivateBus } = this.#parts;
    while (await this.#around.insist(ask)) {
      if (leases.isFresh || (isPrivateBus && leases.isAlone)) return true;
      if (this.#around.isGivingUp()) throw new Error("cortex stops, and its lease doesn't hold");
      await delay(againMs);
    }
    return false;
  }
}
