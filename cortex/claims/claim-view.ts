/** A worker's view of the claims: the newest revision of each open one that it has seen, and whether more is to come. */
import type { Claim, ClaimNews, StoredClaim } from "../../bus/claims/claims.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Clock } from "../model/clock.ts";
import { heldUpTo, isHeld, turnOf } from "./ownership.ts";

/** Milliseconds for which a count of claims waits for news. */
const newsMs = 1000;

/** The history of a request before this worker took it: whether another worker had it, and how many attempts may have started. */
export type EarlierAttempts = { isTakenOver: boolean; attempts: number };

export type ClaimViewDeps = {
  worker: string;
  log: Pick<Logger, "warn">;
  clock: Clock;
  onChange: (agentId: string, claim: Claim) => void;
  onEnded: (agentId: string, stored: StoredClaim) => void;
};

export class ClaimView {
  readonly #deps: ClaimViewDeps;
  readonly #seen = new Map<string, StoredClaim>();
  /** The last time of news, for each open claim. */
  readonly #heardAt = new Map<string, number>();
  /** The revision up to which all changes have been seen, other workers' included. */
  #watched = 0;
  /** Whether news comes as it happens. While all claims come once more, after a loss, those that change often come late. */
  #isLive = false;
  readonly #waiters = new Set<() => void>();

  constructor(deps: ClaimViewDeps) {
    this.#deps = deps;
  }

  /** The open claims, as far as this worker has seen. */
  get open(): ReadonlyMap<string, StoredClaim> {
    return this.#seen;
  }

  get(agentId: string): Claim | undefined {
    return this.#seen.get(agentId)?.claim;
  }

  /** Whether this worker holds a claim. */
  isHeld(agentId: string): boolean {
    const claim = this.get(agentId);
    return claim?.worker === this.#deps.worker && isHeld(claim);
  }

  /** Whether another worker holds a claim, as far as this one has seen. */
  isOthers(agentId: string): boolean {
    const claim = this.get(agentId);
    return claim !== undefined && claim.worker !== this.#deps.worker && isHeld(claim);
  }

  /** The history of a request that this worker has taken. */
  before(agentId: string): EarlierAttempts {
    const { epoch = 0, attempt = 0 } = this.get(agentId) ?? {};
    return { isTakenOver: epoch > 1, attempts: attempt };
  }

  /**
   * A watch begins at a revision. When the bucket counts anew, the claims seen still hold, but their revisions are older than
   * all that come now.
   */
  watchBegins(revision: number): void {
    if (revision > this.#watched) return;
    this.#deps.log.warn({ revision, before: this.#watched }, "the claims' revisions have gone back");
    this.#watched = 0;
    for (const [agentId, { claim }] of this.#seen) this.#seen.set(agentId, { claim, revision: 0 });
  }

  /** All claims that existed when the watch began have come. */
  watchLoaded(): void {
    this.#isLive = true;
  }

  /** The connection was lost: changes made meanwhile are about to come. */
  watchLost(): void {
    this.#isLive = false;
  }

  watched({ agentId, claim, revision, isLast }: ClaimNews): void {
    this.see(agentId, { claim, revision });
    this.#watched = Math.max(this.#watched, revision);
    this.#isLive ||= isLast;
    for (const wake of this.#waiters) wake();
  }

  /** Takes in a stored claim, unless a newer one was seen. */
  see(agentId: string, stored: StoredClaim): void {
    const before = this.#seen.get(agentId);
    // An unknown claim at a revision that was watched has ended since.
    if (stored.revision <= (before?.revision ?? this.#watched)) return;
    if (stored.claim.state === "ended") {
      this.forgetClaim(agentId);
      this.#deps.onEnded(agentId, stored);
    } else {
      this.#seen.set(agentId, stored);
      this.#heardAt.set(agentId, this.#deps.clock.now().steady);
    }
    this.#deps.onChange(agentId, stored.claim);
  }

  forgetClaim(agentId: string): void {
    this.#seen.delete(agentId);
    this.#heardAt.delete(agentId);
  }

  /** The claims of other workers without news since a moment of the steady clock. */
  *silentOthers(since: number): Generator<[agentId: string, stored: StoredClaim]> {
    for (const [agentId, stored] of this.#seen)
      if (this.isOthers(agentId) && (this.#heardAt.get(agentId) ?? 0) <= since) yield [agentId, stored];
  }

  /** Takes in the answer to a lookup of another's claim: null where it was forgotten, so its run has ended. */
  lookedUp(agentId: string, before: StoredClaim, stored: StoredClaim | null): void {
    if (this.#seen.has(agentId)) this.#heardAt.set(agentId, this.#deps.clock.now().steady);
    if (stored) this.see(agentId, stored);
    else if (this.#seen.get(agentId)?.revision === before.revision) {
      this.forgetClaim(agentId);
      this.#deps.onChange(agentId, { ...before.claim, state: "ended" });
    }
  }

  /**
   * Whether a claim is among the first `most` that anybody holds, in the order in which they were taken. False without all
   * news in time.
   */
  async isAmongFirst(agentId: string, most: number): Promise<boolean> {
    const stored = this.#seen.get(agentId);
    const turn = stored ? turnOf(stored) : 0;
    return (await this.#caughtUp(turn)) && heldUpTo(this.#seen.values(), turn) <= most;
  }

  /** Waits for a while until everything up to a revision has been seen. */
  async #caughtUp(revision: number): Promise<boolean> {
    const isComplete = () => this.#isLive && this.#watched >= revision;
    if (isComplete()) return true;
    return new Promise<boolean>((resolve) => {
      const wake = () => {
        if (isComplete()) end(true);
      };
      const end = (hasAll: boolean) => {
        this.#waiters.delete(wake);
        resolve(hasAll);
      };
      this.#waiters.add(wake);
      this.#deps.clock.later(newsMs, () => end(false));
    });
  }
}
