/** Finds what a request names, and merges it. */
import { readFacet, UnknownFacetError } from "../../journal/notes/facets.ts";
import { personaNamePattern } from "../../protocol/names/names.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Request } from "../../protocol/runs/request.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { worksInFacet } from "./backend-choice.ts";
import { ConfigError } from "../model/config-error.ts";
import { packs } from "../../protocol/settings/packs.ts";
import { type Plan, planRun } from "./merge.ts";
import { externalTools } from "./external-tools.ts";
import type { ResourceDefaults } from "./resource-limits.ts";

export type PlanSurroundings = {
  journal: string;
  settings: Settings;
  personas: Pick<WatchedPersonas, "get" | "all" | "problems">;
  timeZone: string;
  defaultBackend: string;
  resources: ResourceDefaults;
  /** Whether the run that it names in `handoff_from` did hand on to it. */
  isHandedOn: boolean;
};

/** @throws ConfigError when something that it names isn't there */
export async function planFor(agentId: string, request: Request, around: PlanSurroundings): Promise<Plan> {
  const persona = findPersona(request.persona ?? "default", around.personas);
  if (request.handoff_from !== undefined && !around.isHandedOn)
    throw new ConfigError(
      `handoff_from "${request.handoff_from}": that run didn't hand off to ${agentId}; cortex sets this field itself`,
    );
  const external = await externalTools(around.journal, { ...persona.settings, ...request }, around.settings);
  const plan = planRun(agentId, request, { ...around, persona, external });
  const { facet } = plan.config;
  if (typeof facet === "string") findFacet(around.journal, facet);
  else if (worksInFacet(plan.backend))
    throw new ConfigError(`the ${plan.backend.name} backend works in a facet's folder: give one with --facet`);
  return { ...plan, isWalled: await isWalled(plan) };
}

/** Whether its commands get a sandbox. Tried only for runs that have commands: others don't wait for it. */
async function isWalled({ tools, sandbox }: Plan): Promise<boolean> {
  if (sandbox === "off" || !tools.some((name) => packs["exec"]?.includes(name))) return false;
  const { sandboxHere, sandboxRemedy } = await import("../../sandbox/sandbox-level.ts");
  const found = await sandboxHere();
  if (found.level !== "none") return true;
  if (sandbox === "preferred") return false;
  throw new ConfigError(
    `its tools hold commands, which need a sandbox here, and there is none (${found.why}): ${sandboxRemedy(found)}`,
  );
}

function findPersona(name: string, personas: PlanSurroundings["personas"]): Persona {
  const persona = personaNamePattern.test(name) ? personas.get(name) : undefined;
  if (persona?.settings.disabled) throw new ConfigError(`persona "${name}" is disabled: see ${persona.path}`);
  if (persona) return persona;
  const problem = personas.problems().find((known) => known.name === name);
  if (problem) throw new ConfigError(`persona "${name}" can't be read: ${problem.error}; fix ${problem.path}`);
  const nearest = nearestName(
    name,
    personas.all().map((known) => known.name),
  );
  const meant = nearest === null ? "" : ` (did you mean "${nearest}"?)`;
  throw new ConfigError(`unknown persona "${name}"${meant}: see cortex persona list`);
}

function findFacet(journal: string, facet: string): void {
  try {
    readFacet(journal, facet);
  } catch (error) {
    if (error instanceof UnknownFacetError) throw new ConfigError(error.message);
    throw error;
  }
}
