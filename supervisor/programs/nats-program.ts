/** The private nats-server of a journal. */
import { createHash, randomBytes } from "node:crypto";
import type { Version } from "../../bus/connection/features.ts";
import { isHealthy } from "../../bus/server/health.ts";
import { busUsers, checkListening, serverConfig } from "../../bus/server/server-config.ts";
import { addressAs, type BusAccess, readBusAccess, writeBusAccess } from "../../journal/access/endpoints.ts";
import { runtime } from "../../journal/config/paths.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { usableSettings } from "../../journal/config/settings.ts";
import { readStoreHolder, storeFolder, writeStoreHolder } from "../../journal/access/store-holder.ts";
import { freePort } from "../../proc/os/free-port.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { ownerOfPort } from "../../proc/os/port-owner.ts";
import { Service } from "../../proc/programs/service.ts";
import { channelTypes, externalChannels } from "../../protocol/agents/agents-settings.ts";
import type { Settings } from "../../protocol/settings/settings.ts";
import { type BusOffer, offerOf } from "./bus-listening.ts";
import { keepStore, serverVersion, syncedBy } from "./bus-store.ts";
import { natsLogArguments, natsLogEnvironment } from "./nats-log.ts";
import { killOrphans, findRecorded } from "./orphans.ts";
import type { Program } from "./program.ts";

/** NATS's own port, from docs/contract.md. */
const standardPort = 4222;

const stopGraceMs = 10_000;
const askedEveryMs = 3000;
/** Whether it takes too long is decided by who asks. */
const connectMs = 20_000;
// It exits with 1 on TERM; INT is its clean end.
const stopSignal = "SIGINT";

/**
 * To be started by whoever holds the journal's lock, and nobody else: two servers on one store ruin it.
 * @param binary the nats-server to start
 */
export function natsProgram(journal: string, binary: string, log: Logger): Program {
  return {
    name: "nats-server",
    needs: [],
    launch: async (nonce) => {
      const version = await serverVersion(binary);
      await freeStore(journal, log);
      await prepare(journal, version, log);
      await writeStoreHolder(journal, { nonce, identity: null });
      const command = [binary, "-c", configFile(journal), ...natsLogArguments(journal)];
      return { command, env: { ...process.env, ...natsLogEnvironment } };
    },
    launched: (nonce, identity) => writeStoreHolder(journal, { nonce, identity }),
    fingerprint: async () => {
      const access = readBusAccess(journal);
      const made = [binary, access && configOf(journal, access, await serverVersion(binary), wantedIfAny(journal))];
      return createHash("sha256").update(JSON.stringify(made)).digest("hex");
    },
    isReady: () => answers(journal),
    isResponsive: () => answers(journal),
    askedEveryMs,
    stopSignal,
    yieldSignal: stopSignal,
    stopGraceMs: () => stopGraceMs,
    rereads: false,
    refresh: async () => keepStore(journal, await serverVersion(binary), wantedNow(journal).durability, log),
  };
}

const configFile = (journal: string) => runtime(journal, "nats.conf");

/**
 * A server that nobody watches over any more may still have the store open: of this journal, whose records were lost,
 * or of another one that reached the same store. It goes before another is started.
 */
async function freeStore(journal: string, log: Logger): Promise<void> {
  const holder = readStoreHolder(journal);
  if (!holder) return;
  await killOrphans(holder);
  const identity = findRecorded(holder);
  if (!identity) return;
  log.warn({ pid: identity.pid, store: storeFolder(journal) }, "another nats-server has the store open: stopping it");
  await Service.adopt(identity).stop(stopSignal, stopGraceMs);
}

/** Writes the server's configuration. Port and passwords stay the same from one start to the next where they can. */
async function prepare(journal: string, version: Version | null, log: Logger): Promise<void> {
  const wanted = wantedNow(journal);
  const { offer } = wanted;
  const before = readBusAccess(journal);
  const portBefore = before ? Number(new URL(before.url).port) : standardPort;
  // Other hosts look for it on this port: no other will do.
  const port = offer?.port ?? (await freePort(portBefore, standardPort));
  if (port !== portBefore && !offer) warnPortTaken(portBefore, port, log);
  const passwords = Object.fromEntries(
    busUsers(wanted.channels).map((user) => [user, before?.passwords[user] ?? randomBytes(32).toString("base64url")]),
  );
  const access: BusAccess = {
    url: `${offer?.caFile === undefined ? "nats" : "tls"}://${loopbackOf(offer?.listening.host)}:${port}`,
    ...(offer?.caFile === undefined ? {} : { ca_file: offer.caFile }),
    server_name: `cortex-${randomBytes(6).toString("hex")}`,
    passwords,
  };
  await writeBusAccess(journal, access);
  await keepStore(journal, version, wanted.durability, log);
  await replaceFile(configFile(journal), configOf(journal, access, version, wanted));
}

/** The server's part of the settings: its offer to other hosts, the durability of its store, and the channels. */
type Wanted = { offer: BusOffer | null; durability: Settings["durability"]; channels: string[]; external: string[] };

/** @throws SettingsError, BusSettingsError or OpenBusError when that can't be */
function wantedNow(journal: string): Wanted {
  const { bus, durability, channels } = usableSettings(journal).settings;
  const offer = offerOf(journal, bus);
  if (offer) checkListening(offer.listening);
  return { offer, durability, channels: channelTypes(channels), external: externalChannels(channels) };
}

/** The same; where it can't be, a start says why. */
function wantedIfAny(journal: string): Wanted {
  try {
    return wantedNow(journal);
  } catch {
    return { offer: null, durability: undefined, channels: channelTypes(undefined), external: [] };
  }
}

function configOf(
  journal: string,
  { url, server_name, passwords }: BusAccess,
  version: Version | null,
  { offer, durability, channels, external }: Wanted,
): string {
  return serverConfig({
    name: server_name,
    port: Number(new URL(url).port),
    storeFolder: storeFolder(journal),
    pidFile: runtime(journal, "nats.pid"),
    passwords,
    channels,
    external,
    listening: offer?.listening,
    isSynchronous: syncedBy(version, durability) === "server",
  });
}

function warnPortTaken(wanted: number, port: number, log: Logger): void {
  const owner = ownerOfPort(wanted);
  const who = owner ? `pid ${owner.pid}, ${owner.command}` : "a process that this user can't see";
  log.warn({ wanted, port, owner }, `port ${wanted} is taken by ${who}: the bus listens on ${port}`);
}

/** The loopback address of a server that listens on `host`. */
function loopbackOf(host = "127.0.0.1"): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Whether the server that was started, and no other on its port, takes a word and gives it back. */
async function answers(journal: string): Promise<boolean> {
  const access = readBusAccess(journal);
  if (!access) return false;
  return isHealthy(addressAs(access, "supervisor"), access.server_name, connectMs);
}
