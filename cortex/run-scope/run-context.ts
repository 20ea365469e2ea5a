/** The context of a run: what it needs of its cortex. */
import type { OwnershipCheck } from "../claims/ownership-check.ts";
import type { Ids } from "../intake/ids.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Logger } from "../../proc/logging/log.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Request } from "../../protocol/runs/request/request.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { CallsUnderWay } from "../limits/calls-under-way.ts";
import type { DiskWatch } from "../limits/disk-watch.ts";
import type { UsageStore } from "../limits/usage-store.ts";
import type { ResourceDefaults } from "../plan/resource-limits.ts";
import type { ResourceWatch } from "../limits/resource-watch.ts";
import type { Ports } from "../ports/ports.ts";

/** The machine that a run is on, and the worker there. */
export type RunHost = {
  worker: string;
  timeZone: string;
  /** The machine's resources that a run may have where nothing else is said. */
  resources: ResourceDefaults;
  resourceWatch: Pick<ResourceWatch, "over">;
  diskWatch: Pick<DiskWatch, "checkSpace" | "over" | "mayStart">;
};

/** Answers about who has a run, or an id. Each waits for the bus. */
type RunOwner = {
  /** An id for what a run hands on to, which no other request gets: the same each time. */
  reserveId: (parent: string, request: Request, chainLength: number) => Promise<string>;
  /** Whether an attempt may start here: whether the run is still this worker's. */
  mayStart: (agentId: string, attempt: number) => Promise<boolean>;
  /** Whether a run may be saved, handed on and closed here. */
  mayEnd: (agentId: string) => Promise<boolean>;
};

export type RunContext = Pick<Ports, "clock" | "files" | "processes" | "publisher"> & {
  host: RunHost;
  owner: RunOwner;
  settings: () => Settings;
  /** The daily usage of all runs. */
  usage: Pick<UsageStore, "restate" | "add" | "exceeded" | "onChange">;
  /** Model calls that are under way through the gateway, of all runs. */
  underWay: CallsUnderWay;
  log: Logger;
  personaOf: (name: string) => Persona | undefined;
  isStopping: () => boolean;
  /** Hears that a run's state has changed. */
  onChange: () => void;
};

type ContextDeps = Omit<RunContext, keyof CortexSide | "owner" | "personaOf" | "underWay"> & {
  personas: Pick<WatchedPersonas, "get">;
};

type CortexSide = Pick<RunContext, "host" | "isStopping" | "onChange"> & {
  ids: Pick<Ids, "reserve">;
  ownership: Pick<OwnershipCheck, "mayStart" | "mayEnd">;
};

/** Builds the context of a run. @param cortex what answers for the cortex around the runs */
export function runContext(
  { clock, files, processes, publisher, settings, usage, log, personas }: ContextDeps,
  { host, ids, ownership, isStopping, onChange }: CortexSide,
): RunContext {
  const owner: RunOwner = {
    reserveId: (parent, request, length) => ids.reserve(parent, request, length),
    mayStart: (agentId, attempt) => ownership.mayStart(agentId, attempt),
    mayEnd: (agentId) => ownership.mayEnd(agentId),
  };
  const underWay = new CallsUnderWay();
  const personaOf = (name: string) => personas.get(name);
  return {
    clock,
    files,
    processes,
    publisher,
    host,
    owner,
    settings,
    usage,
    underWay,
    log,
    personaOf,
    isStopping,
    onChange,
  };
}
