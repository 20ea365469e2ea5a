/** Conclusions about the owner of a run. Pure. */
import type { Claim, StoredClaim } from "../../bus/claims/claims.ts";
import type { Moment } from "../../bus/claims/lease-validity.ts";
import type { LedgerEntry } from "../../bus/claims/ledger.ts";
import type { OwnerLooks } from "./claim-table.ts";

/**
 * How an owner looks to the others.
 * @param silentMs for how long its lease has been seen to have lapsed
 * @param longestOrphanMs how long a started run may live on without its worker
 */
export function ownerLooks(isAlive: boolean, silentMs: number, longestOrphanMs: number): OwnerLooks {
  if (isAlive) return "alive";
  return silentMs > longestOrphanMs ? "lost" : "gone";
}

/** The silence of a worker: since when, and the last look at it. */
export type Silence = { since: Moment; last: Moment };

/**
 * Continues a silence, or begins one. Looks further apart than a lease may have missed a return, so they begin a new one.
 * @param before null: the worker wasn't silent at the last look
 */
export function silenceAt(now: Moment, before: Silence | null, leaseMs: number): Silence {
  const isUnbroken = before && now.steady - before.last.steady < leaseMs && now.wall - before.last.wall < leaseMs;
  return { since: isUnbroken ? before.since : now, last: now };
}

export const isHeld = ({ state }: Claim) => state === "claimed" || state === "started";

/** Whether a claim concerns a worker: it is queued, or the worker's own. */
export function concernsWorker(claim: Claim, worker: string): boolean {
  return claim.state === "queued" || (claim.state !== "ended" && claim.worker === worker);
}

/**
 * Whether a run belongs to a worker that doesn't hold its claim: the worker has ended it, or the bus has lost the claim and
 * nobody has taken it since.
 * @param claim the claim in the bucket
 */
export function isOursUnclaimed(claim: Claim | undefined, ended: LedgerEntry["ended"], worker: string): boolean {
  if (ended) return ended.worker === worker;
  return claim === undefined || (claim.state === "queued" && claim.epoch === 0);
}

/** The position of a claim in the order of taking. Later writes by its owner don't change it. */
export const turnOf = ({ claim, revision }: StoredClaim) => claim.turn ?? revision;

/** Counts the held claims that were taken up to a turn. */
export function heldUpTo(claims: Iterable<StoredClaim>, turn: number): number {
  let held = 0;
  for (const stored of claims) if (isHeld(stored.claim) && turnOf(stored) <= turn) held++;
  return held;
}
