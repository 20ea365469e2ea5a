/**
 * Keys that a sandbox's programs use and never hold. Each finds a stand-in in its environment; on the way to the hosts of a
 * key its TLS ends here, and the key is put in the stand-in's place. On any other way the stand-in stays what it is.
 */
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { rulesFor } from "../../protocol/runs/request/network.ts";
import type { MaskedKey } from "../../protocol/settings/sandbox-keys.ts";
import { checkedAddresses, type NetworkRules, type Target } from "./checked-address.ts";

/** Where systems keep the certificates that they trust. */
const systemCertificates = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/cert.pem",
];

export class KeyMask {
  readonly #proxy: MaskingProxy;
  readonly #registry: InstanceType<MaskingProxy["SentinelRegistry"]>;
  readonly #standIns = new Map<string, string>();
  #keys: readonly MaskedKey[] = [];

  private constructor(proxy: MaskingProxy) {
    this.#proxy = proxy;
    this.#registry = new proxy.SentinelRegistry();
  }

  /** Makes one without keys. The first of a process makes its certificate, which takes some 0.1 s. */
  static async create(): Promise<KeyMask> {
    return new KeyMask(await (proxyHere ??= loadProxy()));
  }

  /** From now on these are the keys. One that was there keeps its stand-in, which may stand in files by now. */
  use(keys: readonly MaskedKey[]): void {
    this.#keys = keys;
    this.#registry.clear();
    for (const { name, value, hosts } of keys) {
      const standIn = this.#standIns.get(name) ?? `fake_value_${randomUUID()}`;
      this.#standIns.set(name, standIn);
      this.#registry.registerWithSentinel(name, standIn, value, hosts);
    }
  }

  /**
   * The variables of programs inside: the stand-ins, and the file of certificates that they have to trust, this proxy's among
   * them.
   * @param own a folder that no sandbox can write. The file has to be shown to them
   */
  inside(own: string): { env: Record<string, string>; shown: string } {
    const shown = join(own, "certificates.pem");
    if (!existsSync(shown)) writeFileSync(shown, this.#proxy.certificates);
    const standIns = this.#keys.map(({ name }) => [name, this.#standIns.get(name) ?? ""]);
    const trust = this.#proxy.trustVariables.map((name) => [name, shown]);
    return { env: Object.fromEntries([...trust, ...standIns]) as Record<string, string>, shown };
  }

  /** Whether a key is sent there. */
  isFor(target: Target): boolean {
    return this.#keys.some(({ hosts }) => rulesFor(hosts, target.host, target.port).length > 0);
  }

  /** Takes over a CONNECT to where a key is sent. @param rules those that have allowed it */
  take(asked: IncomingMessage, client: Duplex, head: Buffer, { port }: Target, rules: NetworkRules): void {
    const isSentTo = (host: string, entry: string) => rulesFor([entry], host, port).length > 0;
    this.#proxy
      .createHttpProxyServer({
        filter: () => true,
        mitmCA: this.#proxy.authority,
        mutateHeaders: (headers, host) => this.#registry.substituteInHeaders(headers, host, isSentTo),
        getBodySubstitutions: (host) => this.#registry.sentinelsForHost(host, isSentTo),
        lookupFor: () => checkedLookup(port, rules),
      })
      .emit("connect", asked, client, head);
  }
}

type MaskingProxy = Awaited<ReturnType<typeof loadProxy>>;

let proxyHere: Promise<MaskingProxy> | undefined;

/** The library's proxy, and a certificate of this process: its key never touches the disk. */
async function loadProxy() {
  const [
    { createHttpProxyServer },
    { createMitmCA, disposeMitmCA, generateCa },
    { SentinelRegistry },
    { CA_TRUST_VARS },
  ] = await Promise.all([
    import("@anthropic-ai/sandbox-runtime/dist/sandbox/http-proxy.js"),
    import("@anthropic-ai/sandbox-runtime/dist/sandbox/mitm-ca.js"),
    import("@anthropic-ai/sandbox-runtime/dist/sandbox/credential-sentinel.js"),
    import("@anthropic-ai/sandbox-runtime/dist/sandbox/sandbox-utils.js"),
  ]);
  const { certPem: caCertPem, keyPem: caKeyPem } = generateCa({ cn: "cortex sandbox", validityDays: 90 });
  const extraCaCertPaths = systemCertificates.filter((path) => existsSync(path));
  const authority = createMitmCA({ caCertPem, caKeyPem, extraCaCertPaths });
  const certificates = readFileSync(authority.trustBundlePath, "utf8");
  await disposeMitmCA(authority);
  return { createHttpProxyServer, SentinelRegistry, authority, certificates, trustVariables: CA_TRUST_VARS };
}

/** Resolves names as the rules allow, for Node's connections. */
const checkedLookup =
  (port: number, rules: NetworkRules): LookupFunction =>
  async (host, { all }, callback) => {
    try {
      const found = (await checkedAddresses({ host, port }, rules)).map((address) => ({
        address,
        family: isIP(address),
      }));
      const [first] = found;
      if (all === true || !first) callback(null, found);
      else callback(null, first.address, first.family);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), "");
    }
  };
