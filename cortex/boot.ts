/**
 * Boots cortex: the order in which it takes its place among the workers, takes up what was left, and lets requests in. The
 * program and the simulation both go through here, each with its own way to the bus and its own timers.
 */
import type { Claim } from "../bus/claims/claims.ts";
import type { RequestDelivery } from "../bus/runs/requests.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { LeaseDeps } from "./claims/keep-lease.ts";
import type { CortexDeps } from "./deps.ts";
import { recover } from "./recover.ts";
import type { Cortex } from "./service.ts";

/** Rounds within one lease in which a worker looks for runs of lost workers. */
const adoptionRounds = 6;

/** The world around a cortex that boots. */
export type BootPorts = {
  /** The runs that an earlier life left in progress. */
  leftRuns: () => string[];
  /** Renews the worker's lease once, and from then on. @throws Error when the bus doesn't answer the first time */
  keepLease: (lease: Pick<LeaseDeps, "confirm" | "onRegained">) => Promise<unknown>;
  /** Follows the claims of all workers. Resolves when those that there are have been told. */
  followClaims: (onChange: (agentId: string, claim: Claim) => void) => Promise<void>;
  /** Detects what the bus has lost, at the start or `onceMore` when the lease holds again. */
  detectLosses: (onceMore: boolean) => Promise<string[]>;
  /** Gives the bus again what it has lost. Nobody waits for it. */
  makeUpFor: (lost: string[]) => void;
  /** Hears what clients and runs say. Resolves when the bus knows that somebody does. */
  listen: () => Promise<void>;
  /** Does something again and again. */
  every: (ms: number, what: () => void) => void;
};

/** Boots a cortex. When this resolves, requests that wait are started, and new ones may be read. */
export async function bootCortex(cortex: Cortex, deps: CortexDeps, ports: BootPorts): Promise<void> {
  const { leases } = deps.ports;
  const left = ports.leftRuns();
  await ports.keepLease({
    confirm: () => cortex.confirm(),
    async onRegained() {
      const lost = await ports.detectLosses(true);
      await cortex.resume();
      // Not waited for: the lease has to be kept meanwhile.
      ports.makeUpFor(lost);
    },
  });
  await ports.followClaims((agentId, claim) => cortex.claimChanged(agentId, claim));
  const lost = await ports.detectLosses(false);
  await recover(cortex, left, { ...deps.ports, claims: deps.shared.claims, worker: deps.host.worker, log: deps.log });
  ports.every(leases.leaseMs / adoptionRounds, () => {
    cortex
      .adoptOrphans()
      .catch((error: unknown) => deps.log.warn({ err: error }, "the other workers couldn't be seen"));
  });
  await ports.listen();
  cortex.open();
  ports.makeUpFor(lost);
}

/** Takes requests, one after the other, until there are no more. One that can't be taken comes again. */
export async function takeRequests(
  cortex: Pick<Cortex, "accept">,
  requests: AsyncIterable<RequestDelivery>,
  log: Logger,
): Promise<void> {
  for await (const request of requests)
    await cortex.accept(request).catch((error: unknown) => {
      log.error({ err: error, stream_seq: request.streamSeq }, "a request couldn't be taken; it comes again");
      request.again();
    });
}
