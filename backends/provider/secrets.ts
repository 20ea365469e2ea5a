/** Keys never leave the process but in the header that they are for: whatever is written has them replaced. */
import { builtInBackends, type BuiltInBackend } from "../../protocol/settings/backends.ts";
import { SecretHider, type StreamHider } from "../../protocol/guards/secrets.ts";

const keyNames = Object.values(builtInBackends).flatMap((backend: BuiltInBackend) => backend.key ?? []);

/** A function that replaces the keys of an environment, also where a server echoes one. */
export function secretHider(environment: NodeJS.ProcessEnv): (text: string) => string {
  const hider = new SecretHider(keysOf(environment));
  return (text) => hider.hide(text);
}

/** The same for text that comes in pieces. */
export function streamHider(environment: NodeJS.ProcessEnv): StreamHider {
  return new SecretHider(keysOf(environment)).stream();
}

function keysOf(environment: NodeJS.ProcessEnv): string[] {
  return keyNames.flatMap((name) => environment[name] ?? []);
}
