/** What cortex is made with. Its parts take what they need of it, by `Pick`. */
import type { Ledger } from "../bus/claims/ledger.ts";
import type { WorkerLeases } from "../bus/claims/workers.ts";
import type { Bus } from "../bus/connection/connect.ts";
import type { EventPublisher } from "../bus/events/events.ts";
import type { WatchedPersonas } from "../personas/watch.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { Isolation } from "../proc/runs/isolation.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { Claims } from "./claims/claims.ts";
import type { UsageStore } from "./limits/usage-store.ts";
import type { WarmPool } from "./process/warm-pool.ts";
import type { Mirror } from "./replication/mirror.ts";

/** The machine and the journal that cortex works on. */
type HostDeps = {
  journal: string;
  worker: string;
  timeZone: string;
  isolation: Isolation;
  log: Logger;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
  warm: WarmPool;
};

/** The bus, and what is known by way of it. */
type BusDeps = {
  bus: Bus;
  /** Whether the bus is this journal's own: then nobody else can have taken a run over while it was away. */
  isPrivateBus: boolean;
  publisher: EventPublisher;
  ledger: Ledger;
  claims: Claims;
  leases: WorkerLeases;
  usage: UsageStore;
  /** Keeps the other workers' files here, where that is wanted. */
  mirror: Pick<Mirror, "arrived" | "lost"> | null;
};

export type CortexDeps = HostDeps & BusDeps;
