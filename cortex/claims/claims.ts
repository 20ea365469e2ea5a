/** The door to the claims: this worker's view of them, its steps, and what it learns of other workers' claims. */
import type { Claim, ClaimStore, StoredClaim } from "../../bus/claims/claims.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { type Clock, systemClock } from "../model/clock.ts";
import { ClaimSteps } from "./claim-steps.ts";
import { nextClaim, type OwnerLooks } from "./claim-table.ts";
import { type EarlierAttempts, ClaimView } from "./claim-view.ts";
import { OwnerLiveness, type OwnerLivenessDeps } from "./owner-liveness.ts";

/** Milliseconds for which an ended claim stays, for workers that count claims. */
const forgetMs = 2000;

/** Milliseconds after which the claims are followed again that couldn't be any more, as while the bus's disk is full. */
const followAgainMs = 2000;

export type ClaimsDeps = Omit<OwnerLivenessDeps, "clock"> & {
  store: Pick<ClaimStore, "create" | "get" | "replace" | "forgetClaim" | "watch">;
  log: Pick<Logger, "warn" | "error">;
  clock?: Clock;
};

export class Claims {
  readonly #deps: ClaimsDeps;
  readonly #clock: Clock;
  readonly #view: ClaimView;
  readonly #liveness: OwnerLiveness;
  readonly #steps: ClaimSteps;
  /** Ended claims of this worker that are about to be forgotten. */
  readonly #ended = new Set<string>();
  /** Runs that were found to be another worker's, or ended by one. */
  readonly #barred = new Set<string>();
  #onChange: (agentId: string, claim: Claim) => void = () => {};
  /** Whether all claims that existed at the begin have been seen. */
  #isLoaded = false;

  constructor(deps: ClaimsDeps) {
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    const { store, worker, log } = deps;
    const clock = this.#clock;
    this.#view = new ClaimView({
      worker,
      log,
      clock,
      onChange: (agentId, claim) => this.#onChange(agentId, claim),
      onEnded: (agentId, stored) => this.#forgetLater(agentId, stored),
    });
    this.#liveness = new OwnerLiveness({ ...deps, clock });
    this.#steps = new ClaimSteps({ store, worker, view: this.#view, liveness: this.#liveness });
  }

  /** Follows the claims until `signal`. Resolves when all existing ones have been seen. @throws Error when they can't be */
  async follow(signal: AbortSignal, onChange: (agentId: string, claim: Claim) => void): Promise<void> {
    this.#onChange = onChange;
    await new Promise<void>((resolve, reject) => {
      const watch = () =>
        void this.#watch(signal, resolve).catch((error: unknown) => {
          if (signal.aborted) return resolve();
          this.#deps.log.error({ err: error }, "the claims can't be followed");
          if (!this.#isLoaded) return reject(error);
          this.lostTrack();
          this.#clock.later(followAgainMs, watch);
        });
      watch();
    });
  }

  async #watch(signal: AbortSignal, onLoaded: () => void): Promise<void> {
    const view = this.#view;
    const loaded = () => {
      view.watchLoaded();
      if (!this.#isLoaded) onLoaded();
      // The watch doesn't tell of claims that ended and were forgotten before they were loaded once more.
      else this.learnOthers().catch((error: unknown) => this.#deps.log.warn({ err: error }, "claims may be outdated"));
      this.#isLoaded = true;
    };
    const begins = (revision: number) => view.watchBegins(revision);
    for await (const news of this.#deps.store.watch(signal, loaded, begins)) view.watched(news);
  }

  /** The worker that ended a claim forgets it a little later, also after a restart. */
  #forgetLater(agentId: string, { claim, revision }: StoredClaim): void {
    if (claim.worker !== this.#deps.worker || this.#ended.has(agentId)) return;
    this.#ended.add(agentId);
    const forget = () => {
      this.#deps.store.forgetClaim(agentId, revision).then(
        () => this.#ended.delete(agentId),
        (error: unknown) => {
          this.#deps.log.warn({ agent_id: agentId, err: error }, "an ended claim couldn't be forgotten yet");
          this.#clock.later(forgetMs, forget);
        },
      );
    };
    this.#clock.later(forgetMs, forget);
  }

  /** The connection was lost: changes made meanwhile are about to come. */
  lostTrack(): void {
    this.#view.watchLost();
  }

  /** The open claims, as far as this worker has seen. */
  get open(): ReadonlyMap<string, StoredClaim> {
    return this.#view.open;
  }

  get(agentId: string): Claim | undefined {
    return this.#view.get(agentId);
  }

  /** Whether this worker holds a claim. */
  isHeld(agentId: string): boolean {
    return this.#view.isHeld(agentId);
  }

  /** The history of a request that this worker has taken. */
  before(agentId: string): EarlierAttempts {
    return this.#view.before(agentId);
  }

  /** Offers a recorded request to all workers. Safe to repeat. */
  offer(agentId: string, request: Pick<Claim, "stream_seq" | "priority" | "labels">): Promise<void> {
    return this.#steps.offer(agentId, request);
  }

  /** Takes a request, for this worker. Resolves with whether it has it now. */
  async takeClaim(agentId: string): Promise<boolean> {
    const isTaken = await this.#steps.takeClaim(agentId);
    if (isTaken) this.#barred.delete(agentId);
    return isTaken;
  }

  /** Notes that an attempt starts now. Resolves with whether it may. */
  begin(agentId: string, attempt: number): Promise<boolean> {
    return this.#steps.begin(agentId, attempt);
  }

  /** Gives a request back to all workers. */
  release(agentId: string): Promise<boolean> {
    return this.#steps.release(agentId);
  }

  /** Confirms a claim after the bus was away. Resolves with whether it still stands. */
  confirm(agentId: string): Promise<boolean> {
    return this.#steps.confirm(agentId);
  }

  /** Ends a claim. Resolves with whether it stood. */
  end(agentId: string): Promise<boolean> {
    return this.#steps.end(agentId);
  }

  /** Confirms all claims of this worker, after the bus was away. @throws Error when the bus doesn't answer */
  async confirmAll(): Promise<void> {
    for (const agentId of this.#view.open.keys()) if (this.isHeld(agentId)) await this.confirm(agentId);
  }

  /** Bars this worker from speaking for a run, until it takes it again. */
  bar(agentId: string): void {
    this.#barred.add(agentId);
  }

  /** Whether this worker may speak for a run, as long as its lease holds. */
  maySpeak(agentId: string): boolean {
    return !this.#barred.has(agentId) && !this.#view.isOthers(agentId);
  }

  /** Whether a claim is among the first `most` that anybody holds, in the order in which they were taken. */
  isAmongFirst(agentId: string, most: number): Promise<boolean> {
    return this.#view.isAmongFirst(agentId, most);
  }

  /**
   * Looks up the claims of others that had no news for a lease's time: a claim that ended and was forgotten while the bus
   * was away is never told.
   */
  async learnOthers(): Promise<void> {
    const since = this.#clock.now().steady - this.#deps.leases.leaseMs;
    for (const [agentId, before] of this.#view.silentOthers(since))
      this.#view.lookedUp(agentId, before, await this.#deps.store.get(agentId));
  }

  /** The requests of workers that are gone or lost, which may be taken now. */
  async orphaned(): Promise<string[]> {
    const { worker } = this.#deps;
    const looks = new Map<string | undefined, OwnerLooks>();
    for (const { claim } of this.open.values())
      if (!looks.has(claim.worker)) looks.set(claim.worker, await this.#liveness.of(claim.worker));
    return [...this.open].flatMap(([agentId, { claim }]) => {
      const owner = looks.get(claim.worker) ?? "alive";
      return owner !== "alive" && nextClaim(claim, { type: "take", worker, owner }) ? [agentId] : [];
    });
  }
}
