/**
 * Ownership of a request: its claim × a worker's want → the claim that the worker may write in its place, by
 * compare-and-set, or null when it may not. Pure.
 *
 * - `queued`: recorded, and nobody's.
 * - `claimed`: a worker's, and certainly without a process: if the worker is gone, another takes it as it is.
 * - `started`: a process may have started, so nobody takes it over as it is. When its worker is lost, the run continues
 *   elsewhere as its next attempt, under a new epoch; events and effects of the old epoch are dropped.
 * - `ended`: visible to all workers, before the claim is forgotten.
 */
import type { Claim } from "../../bus/claims/claims.ts";

/** An owner as other workers see it: `gone` once its lease has lapsed, `lost` once that is longer ago than its runs live on without it. */
export type OwnerLooks = "alive" | "gone" | "lost";

export type ClaimStep =
  /** Re-taking one's own claim after a crash bumps the revision, so a worker that read the old revision can't take it over. */
  | { type: "take"; worker: string; owner: OwnerLooks }
  | { type: "begin"; worker: string; epoch: number; attempt: number }
  | { type: "release"; worker: string; epoch: number }
  /** Confirms the claim after the bus was away. Bumps the revision, as above. */
  | { type: "confirm"; worker: string; epoch: number }
  | { type: "end"; worker: string; epoch: number };

type Row = { [T in ClaimStep["type"]]: (claim: Claim, want: Extract<ClaimStep, { type: T }>) => Claim | null };

const no = () => null;

const table: Record<Claim["state"], Row> = {
  queued: { take: taken, begin: no, release: no, confirm: no, end: no },
  claimed: {
    take: (claim, want) => (isOwn(claim, want) ? confirmed(claim) : want.owner === "alive" ? null : taken(claim, want)),
    begin: ifHeld((claim, { attempt }) => ({ ...claim, state: "started", attempt })),
    release: ifHeld((claim) => ({ ...claim, state: "queued", worker: undefined })),
    confirm: ifHeld(confirmed),
    end: ifHeld(ended),
  },
  started: {
    take: (claim, want) => (isOwn(claim, want) ? confirmed(claim) : want.owner === "lost" ? taken(claim, want) : null),
    begin: ifHeld((claim, { attempt }) => (attempt >= claim.attempt ? { ...claim, attempt } : null)),
    release: no,
    confirm: ifHeld(confirmed),
    end: ifHeld(ended),
  },
  ended: { take: no, begin: no, release: no, confirm: no, end: no },
};

/** The claim that a worker may write, or null. */
export function nextClaim<T extends ClaimStep["type"]>(
  claim: Claim,
  want: Extract<ClaimStep, { type: T }>,
): Claim | null {
  return table[claim.state][want.type as T](claim, want);
}

/** Each new owner begins a new epoch. */
function taken(claim: Claim, { worker }: Extract<ClaimStep, { type: "take" }>): Claim {
  return { ...claim, state: "claimed", worker, epoch: claim.epoch + 1, turn: undefined };
}

function confirmed(claim: Claim): Claim {
  return { ...claim, confirmed: claim.confirmed + 1 };
}

function ended(claim: Claim): Claim {
  return { ...claim, state: "ended" };
}

const isOwn = (claim: Claim, { worker }: { worker: string }) => claim.worker === worker;

/** A step that only the holder of the claim's present epoch may take. */
function ifHeld<W extends { worker: string; epoch: number }>(step: (claim: Claim, want: W) => Claim | null) {
  return (claim: Claim, want: W) => (isOwn(claim, want) && claim.epoch === want.epoch ? step(claim, want) : null);
}
