/** Which addresses are out in the world, and none of this machine, its network or the cloud that it runs in. Pure. */
import { isIP } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import ipaddr from "ipaddr.js";

/** Public by its number, and what machines in Azure ask for their configuration. */
const azure = "168.63.129.16";
/** All of IPv6 that is routed publicly so far. */
const global6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** The range into which a network with IPv6 alone maps any IPv4 address. */
const translated = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** The network interfaces of this machine, as `os.networkInterfaces()` gives them. */
export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Whether an address is out in the world.
 * @param interfaces this machine's, as they are now: its own public address reaches what listens here, and in an IPv6
 * network of its own are its neighbours. What a router in front of it has for an address, it can't know
 */
export function isPublicAddress(address: string, interfaces: Interfaces = {}): boolean {
  // ipaddr.js reads 127.1 and the like as well.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  const own = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  const own4 = own.filter(({ family }) => family === "IPv4").map((one) => one.address);
  if (parsed.kind() === "ipv4") return parsed.range() === "unicast" && ![azure, ...own4].includes(address);
  // With a zone, as in fe80::1%eth0, it is a link's.
  if (address.includes("%")) return false;
  const bytes = parsed.toByteArray();
  if (parsed.match(translated)) return isPublicAddress(embedded(bytes, 96), interfaces);
  if (translations.some((prefix) => own4.includes(embedded(bytes, prefix)))) return false;
  const isOwn = own.flatMap(networkOf).some((network) => parsed.match(network));
  return parsed.match(global6) && parsed.range() === "unicast" && !isOwn;
}

/** The network of an interface's IPv6 address; one that says it is alone (/128) is in one of 64 bits all the same. */
function networkOf({ family, address, cidr }: NetworkInterfaceInfo): [address: ipaddr.IPv6, prefix: number][] {
  if (family !== "IPv6") return [];
  const prefix = Number(cidr?.split("/").at(-1) ?? 64);
  return [[ipaddr.IPv6.parse(address), Math.min(prefix, 64)]];
}

/** How long the prefix of a network may be that translates IPv4 addresses by its own: RFC 6052, section 2.2. */
const translations = [32, 40, 48, 56, 64, 96];

/** The IPv4 address behind a translating prefix of so many bits. Bits 64 to 71 are left free. */
function embedded(bytes: number[], prefix: number): string {
  const free = 8;
  return bytes
    .toSpliced(free, prefix === 96 ? 0 : 1)
    .slice(prefix / 8, prefix / 8 + 4)
    .join(".");
}
