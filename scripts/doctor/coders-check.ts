/** Whether the coding agents that runs on this journal use are installed, and have a key by which limits hold. */
import { settingsInUse } from "../settings/settings-in-use.ts";
import { keysIn } from "../../cortex/plan/backend-choice.ts";
import { loadPersonas } from "../../personas/load.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { type ListedBackend, listBackends } from "../settings/listed-backends.ts";
import type { Finding } from "./check.ts";
import { runningCortex } from "./programs-check.ts";

/** Reports those in use; of the others, which are there. */
export async function checkCoders({ journalPath: journal }: Environment): Promise<Finding> {
  const name = "coding agents";
  const settings = settingsInUse(journal);
  const listed = await listBackends(journal, settings, runningCortex(journal)?.keys ?? keysIn(process.env));
  const coders = listed.filter(({ kind }) => kind === "acp");
  const inUse = namesInUse(journal, settings);
  const used = coders.filter(({ name: coder }) => inUse.includes(coder));
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
  const ofPersonas = [...loadPersonas(journal).personas.values()].flatMap(({ settings }) => settings.backend ?? []);
  return [...Object.keys(backends), ...ofPersonas, ...(default_backend === undefined ? [] : [default_backend])];
}
