/** The models that the settings name, and the backend of agents that name none, as cortex has them now. */
import { readLiveStatus } from "../journal/programs/live-status.ts";
import { hasKey } from "../protocol/settings/backends.ts";
import type { Settings } from "../protocol/settings/settings.ts";
import type { ConfiguredModels } from "../workspace/context/configured-models.ts";

export function configuredModels(
  journal: string,
  { default_backend, default_model = {}, workspace = {} }: Settings,
): ConfiguredModels {
  const { keys = [], default_backend: ofCortex } = readLiveStatus(journal) ?? {};
  const usable = Object.entries(default_model).filter(([backend]) => hasKey(backend, keys));
  return {
    defaultBackend: default_backend ?? ofCortex ?? "offline",
    defaultModels: Object.fromEntries(usable),
    windows: workspace.context_windows ?? {},
    summary: workspace.summary_model,
  };
}
