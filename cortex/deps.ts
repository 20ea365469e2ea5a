/** What cortex is made with. Its parts take what they need of it, by `Pick`. */
import type { Bus } from "../bus/connection/connect.ts";
import type { WatchedPersonas } from "../personas/watch.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { Claims } from "./claims/claims.ts";
import type { DiskWatch } from "./limits/disk-watch.ts";
import type { ResourceWatch } from "./limits/resource-watch.ts";
import type { UsageStore } from "./limits/usage-store.ts";
import type { ResourceDefaults } from "./plan/resource-limits.ts";
import type { Ports } from "./ports/ports.ts";
import type { Mirror } from "./replication/mirror.ts";

/** The machine and the journal that cortex works on. */
type HostDeps = {
  journal: string;
  worker: string;
  timeZone: string;
  log: Logger;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
  /** What of the machine a run may have where nothing else is said. */
  resources: ResourceDefaults;
  resourceWatch: Pick<ResourceWatch, "over">;
  diskWatch: Pick<DiskWatch, "look" | "over" | "mayStart">;
};

/** What is known by way of the bus. */
type BusDeps = {
  bus: Pick<Bus, "onReconnect"> & { configDrift: Pick<Bus["configDrift"], "differences"> };
  /** Whether the bus is this journal's own: then nobody else can have taken a run over while it was away. */
  isPrivateBus: boolean;
  claims: Claims;
  usage: Pick<UsageStore, "restate" | "add" | "exceeded" | "onChange">;
  /** Keeps the other workers' files here, where that is wanted. */
  mirror: Pick<Mirror, "arrived" | "lost"> | null;
};

export type CortexDeps = Ports & HostDeps & BusDeps;
