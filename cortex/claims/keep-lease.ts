/** Keeps this worker's lease: renews it often, and says when it holds again after it didn't. */
import { onceLed } from "../../bus/connection/leader.ts";
import type { Bus } from "../../bus/connection/connect.ts";
import type { Worker, WorkerLeases } from "../../bus/claims/workers.ts";

/** How often it is renewed while it lasts. */
const renewals = 6;

export type LeaseParts = {
  leases: Pick<WorkerLeases, "isFresh" | "renew" | "doubt" | "trust">;
  isConnected: () => boolean;
  /** What the others are told. */
  whoWeAre: () => Worker;
  /** The lease had lapsed, or the bus was away: makes sure of what is still held. @throws when the bus doesn't answer */
  confirm: () => Promise<void>;
  /** It holds again. Called once more when it fails. */
  onRegained: () => Promise<void>;
  onProblem: (error: unknown) => void;
};

/** The keeping of a lease, a beat at a time. */
export class LeaseBeat {
  readonly #parts: LeaseParts;
  #losses = 0;
  /** It holds again, and not everything that follows from that has been done. */
  #isToTell = false;
  #turn = Promise.resolve();

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** The bus was away, however shortly. */
  lost(): void {
    this.#losses++;
    this.#parts.leases.doubt();
    this.beat();
  }

  beat(): void {
    this.#turn = this.#turn.then(() => this.#beat()).catch(this.#parts.onProblem);
  }

  async #beat(): Promise<void> {
    const { leases, isConnected, whoWeAre, confirm, onRegained } = this.#parts;
    const losses = this.#losses;
    if (!leases.isFresh) leases.doubt();
    if (!isConnected()) return;
    const hasLost = !leases.isFresh;
    await leases.renew(whoWeAre());
    if (hasLost) {
      await confirm(); // before anything is said or done by it
      if (losses !== this.#losses) return; // lost once more: the next beat confirms
      leases.trust();
      this.#isToTell = true;
    }
    if (!this.#isToTell) return;
    await onRegained();
    this.#isToTell = false;
  }
}

/**
 * Renews the lease at once, and from then on until it is disposed of.
 * @throws Error when the bus doesn't answer the first time
 */
export async function keepLease(
  leases: WorkerLeases,
  bus: Bus,
  parts: Pick<LeaseParts, "whoWeAre" | "confirm" | "onRegained" | "onProblem">,
): Promise<Disposable> {
  await onceLed(() => leases.renew(parts.whoWeAre()));
  const lease = new LeaseBeat({ ...parts, leases, isConnected: () => bus.isConnected });
  bus.onReconnect(() => lease.lost());
  const timer = setInterval(() => lease.beat(), leases.leaseMs / renewals);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
