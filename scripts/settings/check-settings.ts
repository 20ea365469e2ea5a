/** Whether the settings of a journal can be used, as `cortex config check` and `cortex doctor` say it. */
import { readSettings, SettingsError } from "../../journal/config/settings.ts";
import { loadPersonas } from "../../personas/load.ts";
import { nearestName } from "../../protocol/words/nearest-name.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** Finds the errors in the settings of a journal, and what is only suspicious. */
export function checkSettings(journal: string): { settings: Settings; problems: string[]; warnings: string[] } {
  try {
    const settings = readSettings(journal);
    return { settings, problems: [], warnings: unknownPersonas(journal, settings) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { settings: {}, problems: error.problems, warnings: [] };
  }
}

/** Personas are files that come and go: one that there is none of yet is no reason to refuse the settings. */
function unknownPersonas(journal: string, { schedules = {}, budgets }: Settings): string[] {
  const { personas } = loadPersonas(journal);
  const named = [
    ...Object.keys(schedules).map((name) => ["schedules", name]),
    ...Object.keys(budgets?.personas ?? {}).map((name) => ["budgets.personas", name]),
  ];
  return named.flatMap(([field, name = ""]) => {
    if (personas.has(name)) return [];
    const nearest = nearestName(name, personas.keys());
    return [`${field}: there is no persona "${name}"${nearest ? `: did you mean "${nearest}"?` : ""}`];
  });
}
