/** What a run needs of the cortex that it runs in. */
import type { OwnershipCheck } from "../claims/ownership-check.ts";
import type { Ids } from "../intake/ids.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Request } from "../../protocol/runs/request.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { DiskWatch } from "../limits/disk-watch.ts";
import type { UsageStore } from "../limits/usage-store.ts";
import type { ResourceDefaults } from "../plan/resource-limits.ts";
import type { ResourceWatch } from "../limits/resource-watch.ts";
import type { Ports } from "../ports/ports.ts";

export type RunContext = Pick<Ports, "clock" | "files" | "processes" | "publisher"> & {
  worker: string;
  timeZone: string;
  settings: () => Settings;
  /** What of the machine a run may have where nothing else is said. */
  resources: ResourceDefaults;
  resourceWatch: Pick<ResourceWatch, "over">;
  diskWatch: Pick<DiskWatch, "look" | "over" | "mayStart">;
  /** What all runs of the day use. */
  usage: Pick<UsageStore, "restate" | "add" | "exceeded" | "onChange">;
  log: Logger;
  personaOf: (name: string) => Persona | undefined;
  /** An id for what a run hands on to, which nobody else gets: the same each time. */
  reserveId: (parent: string, request: Request, chainLength: number) => Promise<string>;
  /** Whether an attempt may start here: whether the run is still this worker's. Waits for the bus. */
  mayStart: (agentId: string, attempt: number) => Promise<boolean>;
  /** Whether a run may be saved, handed on and closed here. */
  mayEnd: (agentId: string) => Promise<boolean>;
  isStopping: () => boolean;
  /** Hears that a run's state has changed. */
  onChange: () => void;
};

type ContextDeps = Omit<RunContext, keyof CortexSide | "personaOf" | "reserveId" | "mayStart" | "mayEnd"> & {
  personas: Pick<WatchedPersonas, "get">;
};

type CortexSide = Pick<RunContext, "isStopping" | "onChange"> & {
  ids: Pick<Ids, "reserve">;
  ownership: Pick<OwnershipCheck, "mayStart" | "mayEnd">;
};

/** @param cortex what answers for the cortex around the runs */
export function runContext(deps: ContextDeps, { ids, ownership, isStopping, onChange }: CortexSide): RunContext {
  return {
    ...deps,
    isStopping,
    onChange,
    personaOf: (name) => deps.personas.get(name),
    reserveId: (parent, request, length) => ids.reserve(parent, request, length),
    mayStart: (agentId, attempt) => ownership.mayStart(agentId, attempt),
    mayEnd: (agentId) => ownership.mayEnd(agentId),
  };
}
