/** The environment of a run's subprocess: an allowlist, the keys of its own backend, and what its request adds. Pure. */
import { plainEnvironment } from "../proc/plain-environment.ts";
import { type BuiltInBackend, builtInBackends } from "../protocol/backends.ts";
import type { BackendChoice } from "./backend-choice.ts";

/** What a request may not set: it would run other code, or send a key elsewhere. */
const refused = [
  /^NODE_(?!ENV$)/i, // options, code to load, whom TLS trusts
  /^LD_/i,
  /^DYLD_/i,
  /^PATH$/i,
  /_BASE_URL$/i,
  /_PROXY$/i,
  /^SSL_CERT_/i,
  /^OPENSSL_/i, // its configuration loads modules
  /^(BASH_)?ENV$/i, // shells read the file, the shim's among them
  /^(SHELL|BASH)OPTS$/i,
  /^(CLAUDE|ANTHROPIC)_/i, // the folder of its settings, which name programs; a key by another name
  /^GOOGLE_API_KEY$/i,
  /^CORTEX_/i, // our own
];

/** Nor the key of any provider. */
const keys: readonly string[] = Object.values(builtInBackends).flatMap((backend: BuiltInBackend) => backend.key ?? []);

/** The names in a request's `env` that it may not set, and those whose values no process can be given. */
export function refusedVariables(env: Record<string, string>): string[] {
  return Object.keys(env).filter(
    (name) =>
      env[name]?.includes("\0") ||
      !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ||
      keys.includes(name.toUpperCase()) ||
      refused.some((rule) => rule.test(name)),
  );
}

/** The whole environment of a run. */
export function runEnvironment(
  own: NodeJS.ProcessEnv,
  backend: BackendChoice,
  requested: Record<string, string>,
): Record<string, string> {
  const inherited = plainEnvironment(own, backend.kind === "built-in" ? backend.environment : []);
  const declared = backend.kind === "declared" ? (backend.declared.env ?? {}) : {};
  return { ...inherited, ...declared, ...requested };
}
