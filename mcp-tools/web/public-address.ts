/** Which addresses are out in the world, and none of this machine, its network or the cloud that it runs in. Pure. */
import { BlockList, isIP } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";

/** IANA's registry of special IPv4 addresses: https://www.iana.org/assignments/iana-ipv4-special-registry. */
const special4: [address: string, prefix: number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  // Public by its number, and what machines in Azure ask for their configuration.
  ["168.63.129.16", 32],
];

/** Of what is global unicast: protocols' own, tunnels (in which any IPv4 address can hide) and documentation. */
const special6: [address: string, prefix: number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

const refused4 = listOf(special4, "ipv4");
const refused6 = listOf(special6, "ipv6");
/** All that is routed publicly so far: so loopback, unique-local, link-local, multicast and mapped IPv4 aren't in it. */
const global6 = listOf([["2000::", 3]], "ipv6");
/** What a network with IPv6 alone makes of any IPv4 address. */
const translated = listOf([["64:ff9b::", 96]], "ipv6");

/** The network interfaces of this machine, as `os.networkInterfaces()` gives them. */
export type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

/**
 * Whether an address is out in the world.
 * @param interfaces this machine's, as they are now: its own public address reaches what listens here, and in an IPv6
 * network of its own are its neighbours. What a router in front of it has for an address, it can't know
 */
export function isPublicAddress(address: string, interfaces: Interfaces = {}): boolean {
  const version = isIP(address);
  const own = Object.values(interfaces).flatMap((addresses) => addresses ?? []);
  const own4 = own.filter(({ family }) => family === "IPv4").map((one) => one.address);
  if (version === 4) return !refused4.check(address, "ipv4") && !own4.includes(address);
  // With a zone, as in fe80::1%eth0, it is a link's.
  if (version !== 6 || address.includes("%")) return false;
  const groups = groupsOf(address);
  if (translated.check(address, "ipv6")) return isPublicAddress(embedded(groups, 96), interfaces);
  if (translations.some((prefix) => own4.includes(embedded(groups, prefix)))) return false;
  const networks = listOf(own.flatMap(networkOf), "ipv6");
  return global6.check(address, "ipv6") && !refused6.check(address, "ipv6") && !networks.check(address, "ipv6");
}

/** Of an address with a network of its own; one that says it is alone (/128) is in one of 64 bits all the same. */
function networkOf({ family, address, cidr }: NetworkInterfaceInfo): [address: string, prefix: number][] {
  if (family !== "IPv6") return [];
  const prefix = Number(cidr?.split("/").at(-1) ?? 64);
  return [[address.split("%")[0] ?? address, Math.min(prefix, 64)]];
}

/** How long the prefix of a network may be that translates IPv4 addresses by its own: RFC 6052, section 2.2. */
const translations = [32, 40, 48, 56, 64, 96];

function listOf(subnets: [address: string, prefix: number][], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // A URL's host has one form for each address, in hexadecimal alone.
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) =>
    text.split(":").flatMap((group) => (group === "" ? [] : [Number.parseInt(group, 16)]));
  if (tail === undefined) return groups(head);
  const missing = 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array.from({ length: missing }, () => 0), ...groups(tail)];
}

/** The IPv4 address behind a translating prefix of so many bits. Bits 64 to 71 are left free. */
function embedded(groups: number[], prefix: number): string {
  const bytes = groups.flatMap((group) => [group >> 8, group & 255]);
  const free = 8;
  return bytes
    .toSpliced(free, prefix === 96 ? 0 : 1)
    .slice(prefix / 8, prefix / 8 + 4)
    .join(".");
}
