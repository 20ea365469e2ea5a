/** Makes of a unit's turn all that is needed to see it through: its request and its limit. */
import { listFacets } from "../../journal/notes/facets.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import type { Work } from "../../protocol/programs/schedule.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import type { UnitAttempt } from "./group.ts";
import { requestFor } from "./request-for.ts";

/** From docs/contract.md. */
const defaultTimeoutSeconds = 600;

export type WorkParts = {
  settings: Settings;
  persona: (name: string) => Persona | undefined;
  facetTitle: (facet: string) => string | undefined;
  /** The id of the next run that is new. */
  nextTs: () => number;
};

/** The titles of a journal's facets. */
export const titlesIn = (journal: string) => (name: string) =>
  listFacets(journal).find((facet) => facet.name === name)?.title;

/** Ids that rise, also when the clock is set back. */
export function risingTs(now: () => number): () => number {
  let last = 0;
  return () => (last = Math.max(last + 1, now()));
}

/** @throws Error when its persona is gone */
export function workFor(
  { unit, attempt, ts }: UnitAttempt,
  { settings, persona, facetTitle, nextTs }: WorkParts,
): Work {
  const own = persona(unit.persona)?.settings;
  if (!own) throw new Error(`persona "${unit.persona}" is gone`);
  const settingsOf = (name: string) => persona(name)?.settings;
  const title = unit.facet === null ? undefined : facetTitle(unit.facet);
  return {
    unit,
    attempt,
    request: requestFor({ unit, settings: own, facetTitle: title, settingsOf }, ts ?? nextTs()),
    timeout_seconds: own.timeout_seconds ?? settings.limits?.timeout_seconds ?? defaultTimeoutSeconds,
  };
}
