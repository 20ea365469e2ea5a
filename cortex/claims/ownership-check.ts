/** Checks with the bus whether a run is still this worker's: before it starts, before it ends, after the bus was away. */
import type { Ledger } from "../../bus/claims/ledger.ts";
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import { type Clock, pause } from "../model/clock.ts";
import type { Claims } from "./claims.ts";
import { isOursUnclaimed } from "./ownership.ts";

/** Pause before asking again while the lease doesn't hold. */
const againMs = 500;

export type OwnershipDeps = {
  worker: string;
  /** Whether the bus is this journal's own: then no other worker can have taken a run over while it was away. */
  isPrivateBus: boolean;
  ledger: Pick<Ledger, "entry">;
  claims: Claims;
  leases: Pick<WorkerLeases, "isFresh" | "isAlone">;
  clock: Clock;
};

/** Patience with a bus that is away. */
export type BusPatience = {
  /** Asks until the bus answers. */
  insist: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Whether cortex stops, and waits for the bus no longer. */
  isGivingUp: () => boolean;
};

export class OwnershipCheck {
  readonly #deps: OwnershipDeps;
  readonly #patience: BusPatience;

  constructor(deps: OwnershipDeps, patience: BusPatience) {
    this.#deps = deps;
    this.#patience = patience;
  }

  /** Whether an attempt may start here; notes its start on the bus. @throws Error when cortex stops before that is known */
  mayStart(agentId: string, attempt: number): Promise<boolean> {
    return this.#whileFresh(() => this.#deps.claims.begin(agentId, attempt));
  }

  /**
   * Whether a run may be ended here. No other worker can have taken it over while the lease holds, or where there is no
   * other worker. @throws Error when cortex stops before that is known
   */
  async mayEnd(agentId: string): Promise<boolean> {
    const { claims, leases, isPrivateBus } = this.#deps;
    if (leases.isFresh && claims.isHeld(agentId)) return true;
    if (isPrivateBus && leases.isAlone) return true;
    return this.#whileFresh(async () => {
      await claims.confirm(agentId);
      return this.isOurs(agentId);
    });
  }

  /** Whether a run is still this worker's, by a claim that has just been confirmed. @throws Error when the bus doesn't answer */
  async isOurs(agentId: string): Promise<boolean> {
    const { claims, ledger, worker } = this.#deps;
    if (claims.isHeld(agentId)) return true;
    const ended = (await ledger.entry(agentId))?.ended;
    if (claims.isHeld(agentId)) return true; // by now
    return isOursUnclaimed(claims.get(agentId), ended, worker);
  }

  /** Asks until the lease holds: an answer that waited while this machine slept is outdated. */
  async #whileFresh(ask: () => Promise<boolean>): Promise<boolean> {
    const { leases, isPrivateBus, clock } = this.#deps;
    while (await this.#patience.insist(ask)) {
      if (leases.isFresh || (isPrivateBus && leases.isAlone)) return true;
      if (this.#patience.isGivingUp()) throw new Error("cortex stops, and its lease doesn't hold");
      await pause(clock, againMs);
    }
    return false;
  }
}
