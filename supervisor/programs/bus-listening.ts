/** The offer of a journal's bus to other hosts: the settings for it, checked, and the command with which a host joins. */
import { accessSync, constants } from "node:fs";
import { hostname } from "node:os";
import { resolve } from "node:path";
import type { Listening } from "../../bus/server/server-config.ts";
import type { BusSettings } from "../../protocol/settings/settings.ts";

/** Settings of the bus that can't be. */
export class BusSettingsError extends Error {
  override name = "BusSettingsError";
}

export type BusOffer = {
  listening: Listening;
  port: number;
  /** For our own programs, which speak TLS to it as well. */
  caFile: string | undefined;
};

/**
 * The offer, or null when the bus is this host's alone.
 * @throws BusSettingsError when a file of `bus.tls` can't be read, or `bus.listen` has no port that could be
 */
export function offerOf(journal: string, bus: BusSettings | undefined): BusOffer | null {
  if (bus?.listen === undefined) return null;
  const at = bus.listen.lastIndexOf(":");
  const port = Number(bus.listen.slice(at + 1));
  if (port < 1 || port > 65_535) throw new BusSettingsError(`bus.listen: "${bus.listen}" has no port from 1 to 65535`);
  const host = bus.listen.slice(0, at).replace(/^\[(.*)\]$/, "$1");
  const workers = (bus.workers ?? []).map(({ name, nkey }) => ({ name, nkey }));
  const file = (name: "cert" | "key" | "ca", path: string) => {
    const full = resolve(journal, path);
    try {
      accessSync(full, constants.R_OK);
    } catch (error) {
      throw new BusSettingsError(`bus.tls.${name}: ${full} can't be read`, { cause: error });
    }
    return full;
  };
  const { tls } = bus;
  if (!tls) return { listening: { host, workers }, port, caFile: undefined };
  const caFile = file("ca", tls.ca);
  const files = { certFile: file("cert", tls.cert), keyFile: file("key", tls.key) };
  return { listening: { host, tls: files, workers }, port, caFile };
}

/** The command to type on the other host. */
export function joinCommand({ listening: { host, tls }, port, caFile }: BusOffer): string {
  const name = host === "0.0.0.0" || host === "::" ? hostname() : host.includes(":") ? `[${host}]` : host;
  const ca = tls ? ` --ca ${caFile?.split("/").at(-1) ?? "ca.pem"}` : "";
  return `cortex up --join nats://${name}:${port}${ca} --nkey worker.nk`;
}
