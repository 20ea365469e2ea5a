/** A worker's steps on the claims: each decided by the table, and written by compare-and-set. */
import type { Claim, ClaimStore } from "../../bus/claims/claims.ts";
import { nextClaim, type ClaimStep } from "./claim-table.ts";
import type { ClaimView } from "./claim-view.ts";
import type { OwnerLiveness } from "./owner-liveness.ts";
import { isHeld, turnOf } from "./ownership.ts";

export type ClaimStepsDeps = {
  store: Pick<ClaimStore, "create" | "get" | "replace">;
  worker: string;
  view: ClaimView;
  liveness: OwnerLiveness;
};

export class ClaimSteps {
  readonly #deps: ClaimStepsDeps;

  constructor(deps: ClaimStepsDeps) {
    this.#deps = deps;
  }

  /** Offers a recorded request to all workers. Safe to repeat. */
  async offer(
    agentId: string,
    { stream_seq, priority, labels }: Pick<Claim, "stream_seq" | "priority" | "labels">,
  ): Promise<void> {
    const { store, view } = this.#deps;
    const claim: Claim = { state: "queued", stream_seq, priority, labels, epoch: 0, attempt: 0, confirmed: 0 };
    const revision = await store.create(agentId, claim);
    if (revision !== null) view.see(agentId, { claim, revision });
  }

  /** Takes a request, for this worker. Resolves with whether it has it now. */
  takeClaim(agentId: string): Promise<boolean> {
    const { worker, liveness } = this.#deps;
    return this.#step(agentId, async (claim) => ({ type: "take", worker, owner: await liveness.of(claim.worker) }));
  }

  /** Notes that an attempt starts now. Resolves with whether it may. */
  begin(agentId: string, attempt: number): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "begin", ...held, attempt }));
  }

  /** Gives a request back to all workers. */
  release(agentId: string): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "release", ...held }));
  }

  /** Confirms a claim after the bus was away. Resolves with whether it still stands. */
  confirm(agentId: string): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "confirm", ...held }));
  }

  /** Ends a claim. Resolves with whether it stood. */
  end(agentId: string): Promise<boolean> {
    return this.#held(agentId, (held) => ({ type: "end", ...held }));
  }

  #held(agentId: string, wantOf: (held: { worker: string; epoch: number }) => ClaimStep): Promise<boolean> {
    const { worker, view } = this.#deps;
    const epoch = view.get(agentId)?.epoch ?? 0;
    return this.#step(agentId, () => wantOf({ worker, epoch }));
  }

  /**
   * Steps from the claim that was seen; after a conflict, from the stored one.
   * @param wantOf asked anew for each claim found: its owner may be another, or alive again
   * @throws Error when the bus doesn't answer
   */
  async #step(agentId: string, wantOf: (claim: Claim) => ClaimStep | Promise<ClaimStep>): Promise<boolean> {
    const { store, view } = this.#deps;
    for (let stored = view.open.get(agentId) ?? (await store.get(agentId)); stored; stored = await store.get(agentId)) {
      const decided = nextClaim(stored.claim, await wantOf(stored.claim));
      const isKept = decided !== null && isHeld(decided) && decided.epoch === stored.claim.epoch;
      const claim = isKept ? { ...decided, turn: turnOf(stored) } : decided;
      if (claim === null) {
        view.see(agentId, stored);
        return false;
      }
      const revision = await store.replace(agentId, claim, stored.revision);
      if (revision !== null) {
        view.see(agentId, { claim, revision });
        return true;
      }
    }
    view.forgetClaim(agentId);
    return false;
  }
}
