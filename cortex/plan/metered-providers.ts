/** Which providers a run's program reaches through the gateway, and by which variables it finds it. Pure. */
import { type ModelProviderName, modelProviderNames, modelProviders } from "../../protocol/settings/model-providers.ts";
import { type BuiltInBackend, builtInBackends } from "../../protocol/settings/backends.ts";
import type { BackendChoice } from "./backend-choice.ts";

/**
 * The providers of a backend that isn't our own loop, as far as there is a key.
 * @param own the environment of cortex, where keys are
 */
export function meteredProviders(backend: BackendChoice, own: NodeJS.ProcessEnv): ModelProviderName[] {
  if (backend.kind === "declared") {
    const { env, gateway = true } = backend.declared;
    return gateway ? modelProviderNames.filter((name) => hasKey(name, { ...own, ...env })) : [];
  }
  const table: Record<string, BuiltInBackend> = builtInBackends;
  const { hasOwnLoop = false, environment = [] } = table[backend.name] ?? {};
  if (!hasOwnLoop) return [];
  const variables: readonly string[] = environment;
  return modelProviderNames.filter((name) => variables.includes(modelProviders[name].key) && hasKey(name, own));
}

const hasKey = (name: ModelProviderName, env: NodeJS.ProcessEnv) => Boolean(env[modelProviders[name].key]);

/** How a run reaches the gateway. */
export type GatewayAccess = { url: string; token: string; providers: readonly ModelProviderName[] };

/** The variables by which programs find the gateway in the place of their providers, and its token in that of their keys. */
export function gatewayVariables({ url, token, providers }: GatewayAccess): Record<string, string> {
  const pairs = providers.flatMap((name) => {
    const { key, address } = modelProviders[name];
    return [
      [key, token],
      [address, `${url}/${name}`],
    ];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}
