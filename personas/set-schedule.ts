/** Gives a persona of the journal a schedule, or takes it; one that is built in gets files of its own there. */
import { isRecord } from "../protocol/json/json-object.ts";
import { parseJson } from "../protocol/json/parse-json.ts";
import { editPersona } from "./edit-persona.ts";
import { PersonaFileError, type PersonaFiles, readPersonaFiles } from "./persona-files.ts";

/** @param schedule null: none @throws PersonaFileError, PersonaChangedError */
export async function setPersonaSchedule(
  journal: string,
  name: string,
  schedule: string | null,
): Promise<PersonaFiles> {
  const files = readPersonaFiles(journal, name);
  if (!files) throw new PersonaFileError(`there is no persona "${name.slice(0, 100)}"`);
  const { schedule: _, ...rest } = settingsOf(files);
  return await editPersona(journal, name, files.version, {
    settings: schedule === null ? rest : { ...rest, schedule },
  });
}

function settingsOf({ name, settings }: PersonaFiles): Record<string, unknown> {
  try {
    const value: unknown = parseJson(settings ?? "{}");
    if (isRecord(value)) return value;
  } catch {
    // said below
  }
  throw new PersonaFileError(`the settings of the persona "${name}" can't be read: cortex persona check says why`);
}
