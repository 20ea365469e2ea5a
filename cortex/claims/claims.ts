/** This worker's part in the claims: what it sees of them, and the steps that it takes, each by compare-and-set. */
import { type Claim, type ClaimStore, type StoredClaim } from "../../bus/claims/claims.ts";
import type { WorkerLeases } from "../../bus/claims/workers.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { decide, type OwnerLooks, type Want } from "./claim-table.ts";
import { type Clock, systemClock } from "../model/clock.ts";
import { heldUpTo, isHeld, ownerLooks, type Silence, silenceAt, turnOf } from "./ownership.ts";

/** How long an ended claim stays, for those who count. */
const forgetMs = 2000;

/** How long who counts waits for news. */
const newsMs = 1000;

/** What was before a worker had a request: whether another had it, and how many attempts of it may have started. */
export type Before = { isTakenOver: boolean; attempts: number };

export type ClaimsParts = {
  store: Pick<ClaimStore, "create" | "get" | "replace" | "forget" | "watch">;
  leases: Pick<WorkerLeases, "isAlive" | "leaseMs">;
  worker: string;
  /** How long a started run may live on without its worker, in ms. */
  longestOrphanMs: () => number;
  log: Pick<Logger, "warn" | "error">;
  clock?: Clock;
};

export class Claims {
  readonly #parts: ClaimsParts;
  readonly #clock: Clock;
  readonly #seen = new Map<string, StoredClaim>();
  /** When each was heard of last. */
  readonly #heard = new Map<string, number>();
  /** Since when a worker's lease has been seen to have lapsed. */
  readonly #silent = new Map<string, Silence>();
  /** The revision up to which all changes, also those of others, have been seen. */
  #watched = 0;
  /** Whether news come as they happen. While they come once more, after a loss, what changes often comes late. */
  #isLive = false;
  /** Ended, and about to be forgotten. */
  readonly #ended = new Set<string>();
  /** Found to be others', or ended by them. */
  readonly #barred = new Set<string>();
  readonly #waiters = new Set<() => void>();
  #onChange: (agentId: string, claim: Claim) => void = () => {};

  constructor(parts: ClaimsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
  }

  /** Follows the claims until `signal`. Resolves when all that there are have been seen. */
  async follow(signal: AbortSignal, onChange: (agentId: string, claim: Claim) => void): Promise<void> {
    this.#onChange = onChange;
    await new Promise<void>((resolve, reject) => {
      this.#watch(signal, resolve).catch((error: unknown) => {
        if (signal.aborted) return resolve();
        this.#parts.log.error({ err: error }, "the claims can't be followed");
        reject(error);
      });
    });
  }

  async #watch(signal: AbortSignal, onLoaded: () => void): Promise<void> {
    let isFirst = true;
    const loaded = () => {
      this.#isLive = true;
      if (isFirst) onLoaded();
      // What ended and was forgotten before it was loaded once more is never told.
      else this.learnOthers().catch((error: unknown) => this.#parts.log.warn({ err: error }, "claims may be outdated"));
      isFirst = false;
    };
    const begun = (revision: number) => this.#begin(revision);
    for await (const { agentId, claim, revision, isLast } of this.#parts.store.watch(signal, loaded, begun)) {
      this.#see(agentId, { claim, revision });
      this.#watched = Math.max(this.#watched, revision);
      this.#isLive ||= isLast;
      for (const wake of this.#waiters) wake();
    }
  }

  /** Where the bucket counts anew, what was seen of it still holds, but its revisions are older than all that come now. */
  #begin(revision: number): void {
    if (revision > this.#watched) return;
    this.#parts.log.warn({ revision, before: this.#watched }, "the claims' revisions have gone back");
    this.#watched = 0;
    for (const [agentId, { claim }] of this.#seen) this.#seen.set(agentId, { claim, revision: 0 });
  }

  #see(agentId: string, stored: StoredClaim): void {
    const before = this.#seen.get(agentId);
    // What isn't known of a time that has been seen has ended: this is old.
    if (stored.revision <= (before?.revision ?? this.#watched)) return;
    if (stored.claim.state === "ended") this.#hasEnded(agentId, stored);
    else {
      this.#seen.set(agentId, stored);
      this.#heard.set(agentId, this.#clock.now().steady);
    }
    this.#onChange(agentId, stored.claim);
  }

  #forgetSeen(agentId: string): void {
    this.#seen.delete(agentId);
    this.#heard.delete(agentId);
  }

  /** Whoever ended it forgets it a little later, also in its next life. */
  #hasEnded(agentId: string, { claim, revision }: StoredClaim): void {
    this.#forgetSeen(agentId);
    if (claim.worker !== this.#parts.worker || this.#ended.has(agentId)) return;
    this.#ended.add(agentId);
    const forget = () => {
      this.#parts.store.forget(agentId, revision).then(
        () => this.#ended.delete(agentId),
        (error: unknown) => {
          this.#parts.log.warn({ agent_id: agentId, err: error }, "an ended claim wasn't forgotten yet");
          this.#clock.later(forgetMs, forget);
        },
      );
    };
    this.#clock.later(forgetMs, forget);
  }

  /** The connection was lost: what has changed meanwhile comes now. */
  lostTrack(): void {
    this.#isLive = false;
  }

  /** The claims that are open, as far as this worker has seen. */
  get open(): ReadonlyMap<string, StoredClaim> {
    return this.#seen;
  }

  get(agentId: string): Claim | undefined {
    return this.#seen.get(agentId)?.claim;
  }

  /** Whether this worker holds a claim. */
  isHeld(agentId: string): boolean {
    const claim = this.get(agentId);
    return claim?.worker === this.#parts.worker && isHeld(claim);
  }

  /** Offers a recorded request to all workers. Safe to repeat. */
  async offer(
    agentId: string,
    { stream_seq, priority, labels }: Pick<Claim, "stream_seq" | "priority" | "labels">,
  ): Promise<void> {
    const claim: Claim = { state: "queued", stream_seq, priority, labels, epoch: 0, attempt: 0, confirmed: 0 };
    const revision = await this.#parts.store.create(agentId, claim);
    if (revision !== null) this.#see(agentId, { claim, revision });
  }

  /** What this worker has of a run is worth nothing any more, until it takes it again. */
  bar(agentId: string): void {
    this.#barred.add(agentId);
  }

  /** Whether this worker's word on a run counts, as long as its lease holds. */
  maySpeak(agentId: string): boolean {
    return !this.#barred.has(agentId) && !this.isOthers(agentId);
  }

  /** Whether another worker holds a claim, as far as this one has seen. */
  isOthers(agentId: string): boolean {
    const claim = this.get(agentId);
    return claim !== undefined && claim.worker !== this.#parts.worker && isHeld(claim);
  }

  /** What others may have done about a request that this worker has taken. */
  before(agentId: string): Before {
    const { epoch = 0, attempt = 0 } = this.get(agentId) ?? {};
    return { isTakenOver: epoch > 1, attempts: attempt };
  }

  /** Takes a request, for this worker. Resolves with whether it has it now. */
  async take(agentId: string): Promise<boolean> {
    const { worker } = this.#parts;
    const owner = (claim: Claim) => this.#looks(claim.worker);
    const isTaken = await this.#step(agentId, async (claim) => ({ type: "take", worker, owner: await owner(claim) }));
    if (isTaken) this.#barred.delete(agentId);
    return isTaken;
  }

  /** Says that an attempt starts now. Resolves with whether it may. */
  begin(agentId: string, attempt: number): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "begin", ...held, attempt }));
  }

  /** Gives a request back to whoever wants it. */
  release(agentId: string): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "release", ...held }));
  }

  /** Makes sure of a claim after the bus was away. Resolves with whether it still stands. */
  confirm(agentId: string): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "confirm", ...held }));
  }

  /** Ends a claim. Resolves with whether it stood. */
  end(agentId: string): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "end", ...held }));
  }

  /** After the bus was away: makes sure of all that this worker holds. @throws Error when the bus doesn't answer */
  async confirmAll(): Promise<void> {
    for (const agentId of this.#seen.keys()) if (this.isHeld(agentId)) await this.confirm(agentId);
  }

  /**
   * Learns what has become of the runs of others of which nothing was heard for long: what ended and was forgotten while
   * the bus was away is never told.
   */
  async learnOthers(): Promise<void> {
    const { store, leases } = this.#parts;
    const before = this.#clock.now().steady - leases.leaseMs;
    for (const [agentId, { claim, revision }] of this.#seen) {
      if (!this.isOthers(agentId) || (this.#heard.get(agentId) ?? 0) > before) continue;
      const stored = await store.get(agentId);
      if (this.#seen.has(agentId)) this.#heard.set(agentId, this.#clock.now().steady);
      if (stored) this.#see(agentId, stored);
      else if (this.#seen.get(agentId)?.revision === revision) {
        this.#forgetSeen(agentId);
        this.#onChange(agentId, { ...claim, state: "ended" });
      }
    }
  }

  /**
   * Whether a claim is among the first `most` that anybody holds, in the order in which they were taken. Without all news
   * in time it isn't.
   */
  async isAmongFirst(agentId: string, most: number): Promise<boolean> {
    const stored = this.#seen.get(agentId);
    const turn = stored ? turnOf(stored) : 0;
    return (await this.#caughtUp(turn)) && heldUpTo(this.#seen.values(), turn) <= most;
  }

  /** The requests of workers that are gone or lost, which may be taken now. */
  async orphaned(): Promise<string[]> {
    const { worker } = this.#parts;
    const looks = new Map<string | undefined, OwnerLooks>();
    for (const { claim } of this.#seen.values())
      if (!looks.has(claim.worker)) looks.set(claim.worker, await this.#looks(claim.worker));
    return [...this.#seen].flatMap(([agentId, { claim }]) => {
      const owner = looks.get(claim.worker) ?? "alive";
      return owner !== "alive" && decide(claim, { type: "take", worker, owner }) ? [agentId] : [];
    });
  }

  /** How an owner looks from here. Its silence is timed by this worker's own clock, from when it was first noticed. */
  async #looks(owner: string | undefined): Promise<OwnerLooks> {
    const { leases, worker, longestOrphanMs } = this.#parts;
    if (owner === undefined || owner === worker) return "alive";
    if (await leases.isAlive(owner)) {
      this.#silent.delete(owner);
      return "alive";
    }
    const now = this.#clock.now();
    const silence = silenceAt(now, this.#silent.get(owner) ?? null, leases.leaseMs);
    this.#silent.set(owner, silence);
    return ownerLooks(false, now.steady - silence.since.steady, longestOrphanMs());
  }

  #held(agentId: string, wantOf: (held: { worker: string; epoch: number }) => Want): Promise<boolean> {
    const { worker } = this.#parts;
    const epoch = this.#seen.get(agentId)?.claim.epoch ?? 0;
    return this.#step(agentId, () => wantOf({ worker, epoch }));
  }

  /**
   * From what was seen; where another was quicker, from what stands there.
   * @param wantOf asked anew for each claim that stands there: its owner may be another, or alive again
   * @throws Error when the bus doesn't answer
   */
  async #step(agentId: string, wantOf: (claim: Claim) => Want | Promise<Want>): Promise<boolean> {
    const { store } = this.#parts;
    for (
      let stored = this.#seen.get(agentId) ?? (await store.get(agentId));
      stored;
      stored = await store.get(agentId)
    ) {
      const decided = decide(stored.claim, await wantOf(stored.claim));
      const isKept = decided !== null && isHeld(decided) && decided.epoch === stored.claim.epoch;
      const claim = isKept ? { ...decided, turn: turnOf(stored) } : decided;
      if (claim === null) {
        this.#see(agentId, stored);
        return false;
      }
      const revision = await store.replace(agentId, claim, stored.revision);
      if (revision !== null) {
        this.#see(agentId, { claim, revision });
        return true;
      }
    }
    this.#forgetSeen(agentId);
    return false;
  }

  /** Waits until everything up to a revision has been seen; not for long. */
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
      this.#clock.later(newsMs, () => end(false));
    });
  }
}
