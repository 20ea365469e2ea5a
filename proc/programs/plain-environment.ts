/** The environment that a program of somebody else's gets: an allowlist, so that no key and no token of ours is in it. Pure. */

/** The variables that every process may know. Proxies and certificates are needed to reach anything outside at all. */
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

/** Picks from our own environment what everybody may know, and the variables of these names. */
export function plainEnvironment(own: NodeJS.ProcessEnv, more: readonly string[] = []): Record<string, string> {
  const inherited = [...allowed, ...more].flatMap((name) =>
    own[name] === undefined ? [] : [[name, own[name]] as const],
  );
  return Object.fromEntries(inherited);
}
