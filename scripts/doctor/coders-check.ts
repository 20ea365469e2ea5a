/** Whether the coding agents that runs on this journal use are installed, and have a key by which limits hold. */
import { usableSettings } from "../../journal/config/settings.ts";
import { loadPersonas } from "../../personas/load.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { keysHere, type ListedBackend, listBackends } from "../settings/listed-backends.ts";
import type { Finding } from "./check.ts";
import { runningCortex } from "./programs-check.ts";

/** Reports those in use; of the others, which are there. */
export async function checkCoders({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "coding agents";
  const settings = settingsInUse(journal);
  const listed = await listBackends(settings, runningCortex(journal)?.keys ?? keysHere());
  const coders = listed.filter(({ kind }) => kind === "acp");
  const used = coders.filter(({ name: coder }) => namesInUse(journal, settings).includes(coder));
  const missing = used.filter(({ found }) => !found);
  const there = coders.filter(({ found }) => found).map(shown);
  const detail = there.length === 0 ? "none is installed" : there.join(", ");
  if (missing.length > 0)
    return { name, ok: "fail", detail: missing.map(whatItLacks).join("; "), remedy: "cortex backends" };
  const unmetered = used.filter(({ metered }) => !metered);
  if (unmetered.length === 0) return { name, ok: "ok", detail };
  return { name, ok: "warn", detail: unmetered.map(whatItLacks).join("; "), remedy: "cortex backends" };
}

const shown = ({ name, version }: ListedBackend) => (version === null ? name : `${name} ${version}`);
const whatItLacks = ({ name, hint }: ListedBackend) => `${name}: ${hint ?? "its calls can't be metered"}`;

/** The backends that runs here use without being told to, and those that the settings speak of. */
function namesInUse(journal: string, { default_backend, backends = {} }: Settings): string[] {
  const ofPersonas = loadPersonas(journal)
    .personas.values()
    .flatMap(({ settings }) => settings.backend ?? []);
  return [...Object.keys(backends), ...ofPersonas, ...(default_backend === undefined ? [] : [default_backend])];
}

function settingsInUse(journal: string): Settings {
  try {
    return usableSettings(journal).settings;
  } catch {
    return {};
  }
}
