/** Follows the claims on the bus: learns of requests that wait, adopts what lost workers had, lets go of what others have. */
import { SerialQueue } from "../files/locks/serial-queue.ts";
import type { Claim } from "../bus/claims/claims.ts";
import type { Worker } from "../bus/claims/workers.ts";
import type { Logger } from "../proc/logging/log.ts";
import { concernsWorker } from "./claims/ownership.ts";
import type { Claims } from "./claims/claims.ts";
import type { OwnershipCheck } from "./claims/ownership-check.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { deadLetterMissing } from "./intake/dead-letter.ts";
import { readRequest } from "./intake/read-request.ts";
import type { Finalizer } from "./finalization/finalizer.ts";
import { busRetryMs } from "./model/bus-retry.ts";
import type { Ports } from "./ports/ports.ts";
import type { RunRegistry } from "./run-registry.ts";

export type ClaimSyncDeps = Pick<Ports, "clock" | "files" | "requests" | "ledger" | "leases"> & {
  worker: string;
  claims: Claims;
  log: Logger;
  dispatcher: Dispatcher;
  registry: RunRegistry;
  ownership: OwnershipCheck;
  finalizer: Finalizer;
};

export class ClaimSync {
  readonly #deps: ClaimSyncDeps;
  /** All that there are, when there is more than this one. */
  workers: Worker[] = [];
  readonly #learning = new SerialQueue();

  constructor(deps: ClaimSyncDeps) {
    this.#deps = deps;
  }

  /** A claim has changed on the bus. */
  claimChanged(agentId: string, claim: Claim): void {
    const { worker, dispatcher } = this.#deps;
    const isOurs = concernsWorker(claim, worker);
    if (isOurs && !this.#isKnown(agentId)) this.learn(agentId, claim);
    if (!isOurs) dispatcher.drop(agentId);
    if (claim.state !== "queued") dispatcher.dropPassedOver(agentId);
    if (claim.state === "ended") dispatcher.startWaiting();
  }

  /** Fetches a request that waits, if one does under this id: for another worker, which may never come. */
  learnQueued(agentId: string): void {
    const claim = this.#deps.claims.get(agentId);
    if (claim?.state === "queued") this.learn(agentId, claim);
  }

  /** Fetches a request that another worker has recorded, or this one in an earlier life. */
  learn(agentId: string, claim: Claim): void {
    void this.#learning.run(async () => {
      try {
        await this.#learn(agentId, claim);
      } catch (error) {
        this.#deps.log.warn({ agent_id: agentId, err: error }, "a waiting request couldn't be read");
        this.#deps.clock.later(busRetryMs, () => this.learn(agentId, claim));
      }
    });
  }

  async #learn(agentId: string, claim: Claim): Promise<void> {
    const { requests, files, ledger, claims, dispatcher } = this.#deps;
    if (this.#isKnown(agentId)) return;
    // What has begun here is taken up from its files.
    if (files.state(agentId) !== "absent" && !files.isMirrored(agentId)) return;
    const entry = await ledger.entry(agentId);
    // A damaged bus may show a claim again as it once was.
    if (entry?.ended && claim.state === "queued") {
      if (await claims.takeClaim(agentId)) await claims.end(agentId);
      return;
    }
    const data = await requests.stored(claim.stream_seq);
    const reading = data && readRequest(data);
    // A stream that was cut off uses its places again: what stands there now may be another's.
    const isIt = reading?.ok && (entry === null || entry.hash === reading.hash);
    if (isIt) dispatcher.enqueue({ agentId, request: reading.request, streamSeq: claim.stream_seq });
    else await deadLetterMissing(this.#deps, agentId, claim.stream_seq);
  }

  /** Takes up what workers that are gone had, where there is room. */
  async adoptOrphans(): Promise<void> {
    const { leases, claims, dispatcher } = this.#deps;
    dispatcher.reconsider();
    this.workers = leases.isAlone ? [] : await leases.all();
    await claims.learnOthers();
    for (const agentId of await claims.orphaned()) {
      const claim = claims.get(agentId);
      if (claim && !this.#isKnown(agentId)) this.learn(agentId, claim);
    }
  }

  /** After the bus was away: makes sure of what is ours, and lets go of what isn't. @throws Error when the bus doesn't answer */
  async confirm(): Promise<void> {
    const { claims, registry, finalizer, ownership } = this.#deps;
    await claims.confirmAll();
    for (const agentId of [...registry.ids, ...finalizer.ids]) {
      if (await ownership.isOurs(agentId)) continue;
      claims.bar(agentId); // at once: the run itself may hear of it while it says something
      void registry.get(agentId)?.step({ type: "fenced" });
    }
  }

  #isKnown(agentId: string): boolean {
    const { dispatcher, registry } = this.#deps;
    return dispatcher.has(agentId) || registry.has(agentId);
  }
}
