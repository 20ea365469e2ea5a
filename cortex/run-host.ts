/** What a run needs of the cortex that it runs in. */
import type { EventPublisher } from "../bus/events.ts";
import type { Isolation } from "../proc/isolation.ts";
import type { Logger } from "../proc/log.ts";
import type { Persona } from "../protocol/persona.ts";
import type { Request } from "../protocol/request.ts";
import type { Settings } from "../protocol/settings.ts";

export type RunHost = {
  journal: string;
  worker: string;
  timeZone: string;
  settings: () => Settings;
  isolation: Isolation;
  publisher: EventPublisher;
  log: Logger;
  personaOf: (name: string) => Persona | undefined;
  chainLength: (agentId: string) => number;
  /** An id for a request of cortex's own, which nobody else gets. */
  reserveId: (request: Request) => Promise<string>;
  isStopping: () => boolean;
  /** Hears that a run's state has changed. */
  onChange: () => void;
};
