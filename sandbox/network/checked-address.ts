/** Whether a host may be reached, and at which addresses: names are resolved once, here, and the connection goes to what was checked. */
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { isPublicAddress } from "../../protocol/guards/public-address.ts";
import { isNamedPlace, rulesFor } from "../../protocol/runs/request/network.ts";

export type NetworkRules = {
  /** Entries as settings have them. */
  allowed: readonly string[];
  /** The addresses of a name. */
  resolve: (name: string) => Promise<string[]>;
  isPublic: (address: string) => boolean;
};

/** For the hosts that are named, by this machine's own DNS. */
export const networkRules = (allowed: readonly string[]): NetworkRules => ({
  allowed,
  resolve: async (name) => (await lookup(name, { all: true, order: "ipv4first" })).map(({ address }) => address),
  isPublic: (address) => isPublicAddress(address, networkInterfaces()),
});

export type Target = { host: string; port: number };

/** A refusal, in words for whoever reads the answer. */
export class DeniedError extends Error {
  override name = "DeniedError";
}

/** The host and port of an authority or a URL, in the one form that addresses and names have. Null: it is none. */
export function targetOf(authority: string): Target | null {
  if (!URL.canParse(`http://${authority}`) || /[/?#@\\\s]/.test(authority)) return null;
  const { hostname, port } = new URL(`http://${authority}`);
  return { host: bareHost(hostname), port: port === "" ? 80 : Number(port) };
}

/** Without the brackets of an address, and the dot that a name may end with. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

/**
 * The addresses to connect to.
 * @throws DeniedError that says which setting would allow it
 */
export async function checkedAddresses({ host, port }: Target, rules: NetworkRules): Promise<string[]> {
  const fitting = rulesFor(rules.allowed, host, port);
  const shown = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  if (fitting.length === 0)
    throw new DeniedError(
      `${shown} isn't allowed: "network" in cortex.json names what commands may reach, of which a persona or a request may leave out some. Here it is ${listed(rules.allowed)}`,
    );
  const isNamed = fitting.some(isNamedPlace);
  if (host === "localhost" && isNamed) return ["127.0.0.1", "::1"];
  if (isIP(host) !== 0 && (isNamed || rules.isPublic(host))) return [host];
  const found = isIP(host) === 0 && host !== "localhost" ? await rules.resolve(host) : [host];
  const open = found.filter((address) => rules.isPublic(address));
  if (open.length > 0) return open;
  throw new DeniedError(
    `${shown} is in this machine's own network: "network" in cortex.json would have to name its address and port, as "localhost:8080"`,
  );
}

function listed(allowed: readonly string[]): string {
  if (allowed.length === 0) return "empty";
  const most = 20;
  return `${allowed.slice(0, most).join(", ")}${allowed.length > most ? ", …" : ""}`;
}
