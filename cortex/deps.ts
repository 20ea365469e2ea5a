/** Dependencies of cortex, by concern. Its parts take what they need of them, by `Pick`. */
import type { Bus } from "../bus/connection/connect.ts";
import type { WatchedPersonas } from "../personas/watch.ts";
import type { Logger } from "../proc/logging/log.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { Claims } from "./claims/claims.ts";
import type { UsageStore } from "./limits/usage-store.ts";
import type { Ports } from "./ports/ports.ts";
import type { Mirror } from "./replication/mirror.ts";
import type { RunHost } from "./run-scope/run-context.ts";

/** The machine and the journal that cortex works on. */
type HostDeps = RunHost & { journal: string };

/** Knowledge that the workers share, by way of the bus. */
export type SharedDeps = {
  bus: Pick<Bus, "onReconnect"> & { configDrift: Pick<Bus["configDrift"], "differences"> };
  /** Whether the bus is this journal's own: then no other worker can have taken a run over while it was away. */
  isPrivateBus: boolean;
  claims: Claims;
  usage: Pick<UsageStore, "restate" | "add" | "exceeded" | "onChange">;
  /** Keeps the other workers' files here, where that is wanted. */
  mirror: Pick<Mirror, "arrived" | "lost"> | null;
};

export type CortexDeps = {
  ports: Ports;
  host: HostDeps;
  shared: SharedDeps;
  log: Logger;
  settings: () => Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
};
