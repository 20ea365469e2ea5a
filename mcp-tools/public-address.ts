/** Which addresses are out in the world, and none of this machine, its network or the cloud that it runs in. Pure. */
import { BlockList, isIP } from "node:net";

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

export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !refused4.check(address, "ipv4");
  // With a zone, as in fe80::1%eth0, it is a link's.
  if (version !== 6 || address.includes("%")) return false;
  if (translated.check(address, "ipv6")) return isPublicAddress(lastFour(address));
  return global6.check(address, "ipv6") && !refused6.check(address, "ipv6");
}

function listOf(subnets: [address: string, prefix: number][], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [address, prefix] of subnets) list.addSubnet(address, prefix, family);
  return list;
}

/** The IPv4 address in the last four bytes of an address. */
function lastFour(address: string): string {
  // A URL's host has one form for each address, in hexadecimal alone.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(":").slice(-2);
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || "0", 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join(".");
}
