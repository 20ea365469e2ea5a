/** Which program a run's subprocess executes. */
import { acpPreset, acpPresetNames } from "../../protocol/settings/acp-presets.ts";
import { type BuiltInBackend, builtInBackends, isBuiltInBackend } from "../../protocol/settings/backends.ts";
import type { DeclaredBackend } from "../../protocol/settings/declared-backend.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { ConfigError } from "../model/config-error.ts";

export type BackendChoice =
  | { kind: "built-in"; name: string; environment: readonly string[] }
  | { kind: "declared"; name: string; declared: DeclaredBackend };

/**
 * The backend of a name. One that the user declares wins over a built-in one.
 * @throws ConfigError naming the known ones
 */
export function backendFor(name: string, settings: Settings): BackendChoice {
  const declared = declaredBackend(name, settings);
  if (declared) return { kind: "declared", name, declared };
  if (isBuiltInBackend(name)) return { kind: "built-in", name, environment: builtInBackends[name].environment };
  const own = Object.keys(settings.backends ?? {});
  const known = [...new Set([...Object.keys(builtInBackends), ...own, ...acpPresetNames])].join(", ");
  throw new ConfigError(`cannot start backend "${name}": known backends are ${known}`);
}

/** Finds what the settings say of a backend. A coding agent that is known by its name needs no words, and has its program with others. */
function declaredBackend(name: string, settings: Settings): DeclaredBackend | undefined {
  const declared = settings.backends && Object.hasOwn(settings.backends, name) ? settings.backends[name] : undefined;
  if (declared?.command ?? declared?.acp) return declared;
  const preset = acpPreset(name);
  return preset && { ...declared, acp: [...preset.command] };
}

/** The command of the coding agent that a backend is, which speaks ACP; undefined: it is none. */
export const acpCommand = (choice: BackendChoice): string[] | undefined =>
  choice.kind === "declared" ? choice.declared.acp : undefined;

/** Whether its runs work in their facet's folder. */
export function worksInFacet(choice: BackendChoice): boolean {
  const table: Record<string, BuiltInBackend> = builtInBackends;
  return choice.kind === "built-in" && table[choice.name]?.worksInFacet === true;
}

/** The names of the keys that an environment has. Never their values. */
export function keysIn(env: NodeJS.ProcessEnv): string[] {
  const table: Record<string, BuiltInBackend> = builtInBackends;
  const keys = Object.values(table).flatMap(({ key }) => (key !== undefined && env[key] ? [key] : []));
  return [...new Set(keys)];
}

/** The backend of those who name none: the setting, else the first whose key is present, else the one that needs none. */
export function defaultBackend(settings: Settings, env: NodeJS.ProcessEnv): string {
  if (settings.default_backend) return settings.default_backend;
  const table: Record<string, BuiltInBackend> = builtInBackends;
  for (const [name, { key }] of Object.entries(table)) if (key !== undefined && env[key]) return name;
  return "offline";
}
