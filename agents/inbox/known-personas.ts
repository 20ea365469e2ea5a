/** Personas that an agent may be asked for in, by name. */
import { visibleLine } from "../../conversation/marks/plain-text.ts";
import type { WatchedPersonas } from "../../personas/watch.ts";

export type KnownPersonas = Pick<WatchedPersonas, "get" | "problems">;

/** Why there can be no agent of a persona, for the owner to read; null: there can. */
export function whyNoPersona(name: string, personas: KnownPersonas): string | null {
  if (personas.get(name)) return null;
  const shown = visibleLine(name);
  const problem = personas.problems().find((known) => known.name === name);
  return problem
    ? `The persona ${shown} can't be read: ${visibleLine(problem.error)}; fix ${visibleLine(problem.path)}`
    : `There is no persona ${shown}: see cortex persona list`;
}
