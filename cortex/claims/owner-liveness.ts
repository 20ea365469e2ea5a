/** Liveness of the claims' owners, as this worker sees it. The silence of one is timed by this worker's own clock, from its first sight. */
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import type { Clock } from "../model/clock.ts";
import type { OwnerLooks } from "./claim-table.ts";
import { ownerLooks, type Silence, silenceAt } from "./ownership.ts";

export type OwnerLivenessDeps = {
  leases: Pick<WorkerLeases, "isAlive" | "leaseMs">;
  worker: string;
  /** Milliseconds for which a started run may live on without its worker. */
  longestOrphanMs: () => number;
  clock: Clock;
};

export class OwnerLiveness {
  readonly #deps: OwnerLivenessDeps;
  /** Since when each worker's lease has been seen to have lapsed. */
  readonly #silent = new Map<string, Silence>();

  constructor(deps: OwnerLivenessDeps) {
    this.#deps = deps;
  }

  /** How an owner looks. Nobody, and this worker itself, look alive. */
  async of(owner: string | undefined): Promise<OwnerLooks> {
    const { leases, worker, longestOrphanMs, clock } = this.#deps;
    if (owner === undefined || owner === worker) return "alive";
    if (await leases.isAlive(owner)) {
      this.#silent.delete(owner);
      return "alive";
    }
    const now = clock.now();
    const silence = silenceAt(now, this.#silent.get(owner) ?? null, leases.leaseMs);
    this.#silent.set(owner, silence);
    return ownerLooks(false, now.steady - silence.since.steady, longestOrphanMs());
  }
}
