/** The environment of a run's subprocess: an allowlist, the keys of its own backend, and what its request adds. Pure. */
import { type BuiltInBackend, builtInBackends } from "../protocol/backends.ts";
import type { BackendChoice } from "./backend-choice.ts";

/** What every process may know. Proxies and certificates are needed to reach a provider at all. */
const allowed = [
  "PATH",
  "HOME",
  "LANG",
  "TZ",
  "TMPDIR",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "ALL_PROXY",
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "all_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
];

/** What a request may not set: it would run other code, or send a key elsewhere. */
const refused = [/^NODE_OPTIONS$/i, /^LD_/i, /^DYLD_/i, /^PATH$/i, /_BASE_URL$/i, /^GOOGLE_API_KEY$/i, /^CORTEX_RUN$/];

/** Nor the key of any provider. */
const keys: readonly string[] = Object.values(builtInBackends).flatMap((backend: BuiltInBackend) => backend.key ?? []);

/** The names in a request's `env` that it may not set. */
export function refusedVariables(env: Record<string, string>): string[] {
  return Object.keys(env).filter(
    (name) =>
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
  const names = backend.kind === "built-in" ? [...allowed, ...backend.environment] : allowed;
  const inherited = names.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]] as const]));
  const declared = backend.kind === "declared" ? (backend.declared.env ?? {}) : {};
  return { ...Object.fromEntries(inherited), ...declared, ...requested };
}
