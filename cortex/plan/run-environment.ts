/** The environment of a run's subprocess: an allowlist, the keys of its own backend, and what its request adds. Pure. */
import { plainEnvironment } from "../../proc/programs/plain-environment.ts";
import { variablePattern } from "../../protocol/names/names.ts";
import type { BackendChoice } from "./backend-choice.ts";
import { type GatewayAccess, gatewayVariables } from "./metered-providers.ts";
import { isReadByPrograms } from "./refused-variables.ts";

/**
 * The names in a request's `env` that it may not set, and those whose values no process can be given. Where the settings
 * list what a backend takes, that is all that may be set; where they don't, a table says what may not.
 */
export function refusedVariables(env: Record<string, string>, backend: BackendChoice): string[] {
  const listed = listedVariables(backend);
  return Object.entries(env)
    .filter(([name, value]) => !isVariable(name, value) || (listed ? !listed.includes(name) : isReadByPrograms(name)))
    .map(([name]) => name);
}

/** The variables that the settings let requests set for a backend, where they say so. */
export const listedVariables = (backend: BackendChoice): string[] | undefined =>
  backend.kind === "declared" ? backend.declared.request_env : undefined;

/** Old shells take a value that begins like a function for one, and run what follows it. */
const isVariable = (name: string, value: string) =>
  variablePattern.test(name) && !value.includes("\0") && !value.startsWith("() {");

/** The whole environment of a run. @param gateway where it finds its models, and no key */
export function runEnvironment(
  own: NodeJS.ProcessEnv,
  backend: BackendChoice,
  requested: Record<string, string>,
  gateway?: GatewayAccess,
): Record<string, string> {
  const inherited = plainEnvironment(own, backend.kind === "built-in" ? backend.environment : []);
  const declared = backend.kind === "declared" ? (backend.declared.env ?? {}) : {};
  return { ...inherited, ...declared, ...requested, ...(gateway && gatewayVariables(gateway)) };
}
