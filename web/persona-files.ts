/** Persona files, for mentions: read anew where they may have changed. */
import { loadPersonas } from "../personas/load.ts";
import type { PersonaOf } from "../workspace/database/changes/change.ts";

/** A message may mention many names: the files are read once for all of them. In ms. */
const freshMs = 1000;

export function personaFiles(journal: string): PersonaOf {
  let read = { at: Number.NEGATIVE_INFINITY, personas: loadedNone };
  return (name) => {
    const now = performance.now();
    if (now - read.at > freshMs) read = { at: now, personas: loadPersonas(journal).personas };
    const persona = read.personas.get(name);
    return persona?.settings.disabled ? undefined : persona;
  };
}

const loadedNone: ReturnType<typeof loadPersonas>["personas"] = new Map();
