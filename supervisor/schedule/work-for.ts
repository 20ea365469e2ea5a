/** Makes of a unit's turn all that is needed to see it through: its request and its limit. */
import { listFacets } from "../../journal/facets.ts";
import type { Persona } from "../../protocol/persona.ts";
import type { Work } from "../../protocol/schedule.ts";
import type { Settings } from "../../protocol/settings.ts";
import type { Turn } from "./group.ts";
import { requestFor } from "./request-for.ts";

/** From the contract. */
const defaultTimeoutSeconds = 600;

export type WorkParts = {
  journal: string;
  settings: Settings;
  persona: (name: string) => Persona | undefined;
  now: () => number;
};

let lastTs = 0;

/** @throws Error when its persona is gone */
export function workFor({ unit, attempt, ts }: Turn, { journal, settings, persona, now }: WorkParts): Work {
  const own = persona(unit.persona)?.settings;
  if (!own) throw new Error(`persona "${unit.persona}" is gone`);
  const facetTitle = listFacets(journal).find((facet) => facet.name === unit.facet)?.title;
  const settingsOf = (name: string) => persona(name)?.settings;
  lastTs = Math.max(lastTs + 1, now());
  return {
    unit,
    attempt,
    request: requestFor({ unit, settings: own, facetTitle, settingsOf }, ts ?? lastTs),
    timeout_seconds: own.timeout_seconds ?? settings.limits?.timeout_seconds ?? defaultTimeoutSeconds,
  };
}
