/** The models that a session can choose: those that the settings and the personas name and whose key is there, as cortex has them now. */
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import type { Persona } from "../../protocol/settings/persona.ts";
import { hasKey } from "../../protocol/settings/backends.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** The value that leaves the model, or the effort, to the persona. */
export const asPersonaSays = "default";

/** The models as `backend/model`, in order. */
export function modelValues(journal: string, { default_model = {} }: Settings, personas: Iterable<Persona>): string[] {
  const { keys = [] } = readLiveStatus(journal) ?? {};
  const ofPersonas = [...personas].flatMap(({ settings: { backend, model } }) =>
    backend !== undefined && model !== undefined ? [[backend, model] as const] : [],
  );
  const named = [...Object.entries(default_model), ...ofPersonas].filter(([backend]) => hasKey(backend, keys));
  return [...new Set(named.map(([backend, model]) => `${backend}/${model}`))].toSorted();
}

/** The fields of a request for a model. */
export function modelFields(value: string): { backend?: string; model?: string } {
  if (value === asPersonaSays) return {};
  const slash = value.indexOf("/");
  return { backend: value.slice(0, slash), model: value.slice(slash + 1) };
}
