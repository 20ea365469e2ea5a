/** Keeps this worker's lease: renews it often, and calls back when it holds again after a lapse. */
import { onceLed } from "../../bus/connection/leader.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { Worker, WorkerLeases } from "../../bus/claims/workers.ts";
import { SerialQueue } from "../../files/locks/serial-queue.ts";

/** Renewals within one lease. */
const renewals = 6;

export type LeaseDeps = {
  leases: Pick<WorkerLeases, "isFresh" | "renew" | "doubt" | "trust">;
  isConnected: () => boolean;
  /** The worker as the others are to see it. */
  whoWeAre: () => Worker;
  /** Confirms this worker's claims, after the lease had lapsed or the bus was away. @throws when the bus doesn't answer */
  confirm: () => Promise<void>;
  /** The lease holds again. Called once more when it fails. */
  onRegained: () => Promise<void>;
  onProblem: (error: unknown) => void;
};

/** The renewal of a lease, a beat at a time. */
export class LeaseBeat {
  readonly #deps: LeaseDeps;
  #losses = 0;
  /** Whether the lease holds again and `onRegained` is yet to succeed. */
  #isRegained = false;
  readonly #queue = new SerialQueue();

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** The bus was away, however shortly. */
  lost(): void {
    this.#losses++;
    this.#deps.leases.doubt();
    this.beat();
  }

  beat(): void {
    this.#queue.run(() => this.#beat()).catch(this.#deps.onProblem);
  }

  async #beat(): Promise<void> {
    const { leases, isConnected, whoWeAre, confirm, onRegained } = this.#deps;
    const losses = this.#losses;
    if (!leases.isFresh) leases.doubt();
    if (!isConnected()) return;
    const hasLost = !leases.isFresh;
    await leases.renew(whoWeAre());
    if (hasLost) {
      await confirm(); // before anything is done by virtue of it
      if (losses !== this.#losses) return; // lost once more: the next beat confirms
      leases.trust();
      this.#isRegained = true;
    }
    if (!this.#isRegained) return;
    await onRegained();
    this.#isRegained = false;
  }
}

/**
 * Renews the lease at once, and from then on until it is disposed of.
 * @throws Error when the bus doesn't answer the first time
 */
export async function keepLease(
  leases: WorkerLeases,
  bus: Bus,
  deps: Pick<LeaseDeps, "whoWeAre" | "confirm" | "onRegained" | "onProblem">,
): Promise<Disposable> {
  await onceLed(() => leases.renew(deps.whoWeAre()));
  const lease = new LeaseBeat({ ...deps, leases, isConnected: () => bus.isConnected });
  bus.onReconnect(() => lease.lost());
  const timer = setInterval(() => lease.beat(), leases.leaseMs / renewals);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
