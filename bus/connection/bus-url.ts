/** Where a bus is: the addresses that a user gave, read. */
import { isIP } from "node:net";
import { shownUrl } from "../../protocol/guards/shown-url.ts";
import { BusUnreachableError } from "./connect-error.ts";

/**
 * The addresses of a bus, those of a cluster with commas between. Without a scheme it is `nats:`.
 * @throws BusUnreachableError for what is not an address, without what is secret in it
 */
export function busUrls(text: string): URL[] {
  const urls = text.split(",").map(busUrl);
  if (!urls.includes(null)) return urls.filter((url) => url !== null);
  throw new BusUnreachableError(
    `"${shownUrl(text)}" is not an address: expected nats://host:port; in a password, @ : / , ? and # are written as %40 %3A %2F %2C %3F and %23`,
  );
}

function busUrl(text: string): URL | null {
  const url = URL.parse(text.includes("://") ? text : `nats://${text}`);
  return url && url.hostname !== "" ? url : null;
}

/** The host of an address, IPv6 without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

/** Whether a host is this one, by a name or address that can be no other's. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:(?=[\d.]+$)/i, "");
  return host === "localhost" || host === "::1" || (isIP(address) === 4 && address.startsWith("127."));
}
