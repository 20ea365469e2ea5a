/** What a worker may conclude of whose a run is. Pure. */
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

/** Since when a worker has been seen to be silent, and when it was looked at last. */
export type Silence = { since: Moment; last: Moment };

/**
 * A silence goes on as long as it is looked at: somebody who came back in between would have had a lease for so long.
 * @param before null: it wasn't silent when it was looked at last
 */
export function silenceAt(now: Moment, before: Silence | null, leaseMs: number): Silence {
  const isUnbroken = before && now.steady - before.last.steady < leaseMs && now.wall - before.last.wall < leaseMs;
  return { since: isUnbroken ? before.since : now, last: now };
}

export const isHeld = ({ state }: Claim) => state === "claimed" || state === "started";

/** Whether a worker should look at a claim: it waits for anybody, or it is its own. */
export function concerns(claim: Claim, worker: string): boolean {
  return claim.state === "queued" || (claim.state !== "ended" && claim.worker === worker);
}

/**
 * Whether a run is a worker's although it doesn't hold its claim: it has ended it, or the bus has lost the claim, and nobody
 * has had it since.
 * @param claim what stands in the bucket
 */
export function isOursUnclaimed(claim: Claim | undefined, ended: LedgerEntry["ended"], worker: string): boolean {
  if (ended) return ended.worker === worker;
  return claim === undefined || (claim.state === "queued" && claim.epoch === 0);
}

/** When a claim was taken, in the order of all. What its owner writes later leaves it where it was. */
export const turnOf = ({ claim, revision }: StoredClaim) => claim.turn ?? revision;

/** How many claims were taken, and are held still, up to a turn: the first ones count. */
export function heldUpTo(claims: Iterable<StoredClaim>, turn: number): number {
  let held = 0;
  for (const stored of claims) if (isHeld(stored.claim) && turnOf(stored) <= turn) held++;
  return held;
}
