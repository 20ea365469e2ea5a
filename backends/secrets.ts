/** Keys never leave the process but in the header that they are for: whatever is written has them replaced. */
import { builtInBackends, type BuiltInBackend } from "../protocol/backends.ts";

/** Shorter values are words that stand in any text. */
const shortestSecret = 8;

const keyNames = Object.values(builtInBackends).flatMap((backend: BuiltInBackend) => backend.key ?? []);

/** A function that replaces the keys of an environment, also where a server echoes one. */
export function secretHider(environment: NodeJS.ProcessEnv): (text: string) => string {
  const values = keyNames.map((name) => environment[name] ?? "").filter((value) => value.length >= shortestSecret);
  // In JSON a key may stand with its special characters escaped.
  const secrets = new Set(values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)]));
  return (text) => [...secrets].reduce((hidden, secret) => hidden.replaceAll(secret, "***"), text);
}
