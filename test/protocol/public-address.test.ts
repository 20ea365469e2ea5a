import type { NetworkInterfaceInfo } from "node:os";
import { expect, test } from "vitest";
import { isPublicAddress } from "../../protocol/guards/public-address.ts";

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "223.255.255.255",
  "2606:2800:220:1:248:1893:25c8:1946",
  "2a00:1450:4001:800::200e",
  // As a network without IPv4 reaches 8.8.8.8.
  "64:ff9b::808:808",
])("%s is out in the world", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "127.0.0.1",
  "127.255.255.255",
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "169.254.0.1",
  "169.254.169.254",
  "100.64.0.1",
  "100.100.100.200",
  "100.127.255.255",
  "168.63.129.16",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.250",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "::127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "2a00:1450::1%eth0",
  "fec0::1",
  "ff02::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "3fff::1",
  "100::1",
  "",
  "localhost",
  "0x7f.1",
  "2130706433",
])("%s isn't", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

/** Builds an interface as `os.networkInterfaces()` describes it. */
const address = (cidr: string) => {
  const [one = ""] = cidr.split("/");
  const family = one.includes(":") ? ("IPv6" as const) : ("IPv4" as const);
  return { address: one, netmask: "", mac: "", internal: false, cidr, scopeid: 0, family } as NetworkInterfaceInfo;
};
const own = { eth0: [address("93.184.216.34/24"), address("2a01:4f8:1:2::3/64")], eth1: [address("2a02:1::5/128")] };

test.each([
  "93.184.216.34",
  "2a01:4f8:1:2::3",
  "2a01:4f8:1:2:ffff::1",
  "2a02:1::5",
  "2a02:1::6",
  "::ffff:93.184.216.34",
  "64:ff9b::5db8:d822",
  "2002:5db8:d822::1",
  // As a network translates it by a prefix of its own, of 96, 64, 56, 48, 40 and 32 bits.
  "2a00:1:2:3:4:5:5db8:d822",
  "2a00:1:2:3:5d:b8d8:2200:0",
  "2a00:1:2:5d:b8:d822::",
  "2a00:1:2:5db8:d8:2200::",
  "2a00:1:5d:b8d8:22::",
  "2a00:1:5db8:d822::",
])("%s is this machine's own, or a neighbour's", (one) => {
  expect(isPublicAddress(one, own)).toBe(false);
});

test.each(["93.184.216.35", "2a01:4f8:1:3::3", "2a02:1:0:1::5", "64:ff9b::808:808"])("%s is still outside", (one) => {
  expect(isPublicAddress(one, own)).toBe(true);
});
