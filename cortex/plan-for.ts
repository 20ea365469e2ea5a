/** Finds what a request names, and merges it. */
import { readFacet, UnknownFacetError } from "../journal/facets.ts";
import { personaNamePattern } from "../protocol/names.ts";
import type { Persona } from "../protocol/persona.ts";
import type { Request } from "../protocol/request.ts";
import type { Settings } from "../protocol/settings.ts";
import { ConfigError } from "./config-error.ts";
import { type Plan, planRun } from "./merge.ts";
import { parentOf } from "./chain.ts";

export type PlanSurroundings = {
  journal: string;
  settings: Settings;
  personaOf: (name: string) => Persona | undefined;
  timeZone: string;
  defaultBackend: string;
};

/** @throws ConfigError when something that it names isn't there */
export function planFor(agentId: string, request: Request, around: PlanSurroundings): Plan {
  const name = request.persona ?? "default";
  const persona = personaNamePattern.test(name) ? around.personaOf(name) : undefined;
  if (!persona) throw new ConfigError(`unknown persona "${name}": see cortex persona list`);
  if (persona.settings.disabled) throw new ConfigError(`persona "${name}" is disabled: see ${persona.path}`);
  if (request.handoff_from !== undefined && !parentOf(around.journal, agentId, request.handoff_from))
    throw new ConfigError(`handoff_from "${request.handoff_from}": that run didn't hand off to ${agentId}; cortex sets this field itself`);
  const plan = planRun(agentId, request, { ...around, persona });
  const { facet } = plan.config;
  if (typeof facet === "string") findFacet(around.journal, facet);
  return plan;
}

function findFacet(journal: string, facet: string): void {
  try {
    readFacet(journal, facet);
  } catch (error) {
    if (error instanceof UnknownFacetError) throw new ConfigError(error.message);
    throw error;
  }
}
