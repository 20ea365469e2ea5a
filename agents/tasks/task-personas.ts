/** Personas that can be sent off as sub-agents: those with `"task": true`. */
import type { WatchedPersonas } from "../../personas/watch.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";

type KnownPersonas = Pick<WatchedPersonas, "get" | "all" | "problems">;

/** Says why a persona can't be sent off, for the model that asked; null: it can. */
export function whyNoTask(name: string, personas: KnownPersonas): string | null {
  const persona = personas.get(name);
  if (persona && maySendOff(persona)) return null;
  const shown = JSON.stringify(name.slice(0, 100));
  const known = personas
    .all()
    .filter(maySendOff)
    .map((one) => one.name)
    .toSorted();
  const others = known.length > 0 ? `known are ${known.join(", ")}` : "there are none";
  if (persona?.settings.disabled) return `the sub-agent ${shown} is disabled (see its persona): ${others}`;
  if (persona) return `the persona ${shown} isn't a sub-agent ("task": true is missing in its settings): ${others}`;
  const problem = personas.problems().find((one) => one.name === name);
  if (problem) return `the sub-agent ${shown} can't be read (cortex persona check says why): ${others}`;
  const nearest = nearestName(name, known);
  return `there is no sub-agent ${shown}: ${nearest === null ? "" : `did you mean "${nearest}"? `}${others}`;
}

const maySendOff = ({ settings }: Persona) => settings.task === true && settings.disabled !== true;
