/** The request of a unit: what the persona is asked, about which day and facet, and where its result goes. Pure. */
import type { PersonaSettings } from "../../protocol/settings/persona.ts";
import type { Handoff, Request } from "../../protocol/runs/request/request.ts";
import type { Unit } from "../../protocol/programs/schedule.ts";
import { wallOfDay } from "../calendar/local-time.ts";

export type RequestParts = {
  unit: Unit;
  settings: PersonaSettings;
  /** The title of the unit's facet. */
  facetTitle: string | undefined;
  settingsOf: (persona: string) => PersonaSettings | undefined;
};

/** @param ts the run's id */
export function requestFor({ unit, settings, facetTitle, settingsOf }: RequestParts, ts: number): Request {
  const { day, persona, facet } = unit;
  const request: Request = { ts, prompt: promptFor(unit, facetTitle), persona, day, schedule: persona };
  if (facet === null) return request;
  const handoff = settings.handoff && ofFacet(settings.handoff, facet, settingsOf);
  return {
    ...request,
    facet,
    ...(settings.save === undefined ? {} : { save: saveOfFacet(settings.save, facet) }),
    ...(handoff ? { handoff } : {}),
  };
}

/** `news/audit.md` of the facet garden is `news/audit.garden.md`: facets share a day's folder. */
export function saveOfFacet(save: string, facet: string): string {
  const at = save.lastIndexOf(".");
  const hasExtension = at > save.lastIndexOf("/") + 1;
  return hasExtension ? `${save.slice(0, at)}.${facet}${save.slice(at)}` : `${save}.${facet}`;
}

/** A handoff that saves by facet too, also where the next persona names the file. */
function ofFacet(handoff: Handoff, facet: string, settingsOf: RequestParts["settingsOf"]): Handoff {
  const next = handoff.persona === undefined ? undefined : settingsOf(handoff.persona);
  const save = handoff.save ?? next?.save;
  const inner = handoff.handoff as Handoff | undefined;
  return {
    ...handoff,
    ...(save === undefined ? {} : { save: saveOfFacet(save, facet) }),
    ...(inner ? { handoff: ofFacet(inner, facet, settingsOf) } : {}),
  };
}

const dates = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "UTC" });

function promptFor({ day, time, facet }: Unit, facetTitle = ""): string {
  const date = dates.format(wallOfDay(day));
  const what =
    time === "night"
      ? `Do what your instructions say for the day ${day}, ${date}.`
      : `It is ${time.slice(0, 2)}:${time.slice(2)} on ${date} (day ${day}). Do what your instructions say.`;
  if (facet === null) return what;
  const title = facetTitle.replaceAll(/\p{Cc}+/gu, " ").trim();
  return `${what} The facet is ${facet}${title === "" || title === facet ? "" : `, "${title}"`}.`;
}
