/** Which program a run's subprocess executes. */
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
  const declared = settings.backends && Object.hasOwn(settings.backends, name) ? settings.backends[name] : undefined;
  if (declared) return { kind: "declared", name, declared };
  if (isBuiltInBackend(name)) return { kind: "built-in", name, environment: builtInBackends[name].environment };
  const known = [...Object.keys(builtInBackends), ...Object.keys(settings.backends ?? {})].join(", ");
  throw new ConfigError(`cannot start backend "${name}": known backends are ${known}`);
}

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
