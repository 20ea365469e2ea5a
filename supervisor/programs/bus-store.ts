/**
 * Sees to it that what the bus acknowledges is on the disk. Of itself nats-server writes it there every two minutes: after
 * a power cut the rest is gone, whatever was said of it. From 2.10 on it can be told otherwise; with an older one the
 * store's folder is made synchronous instead.
 */
import { parseVersion, type Version, versionText } from "../../bus/connection/features.ts";
import { nats29 } from "../../bus/legacy/nats-2-9.ts";
import { busAccount } from "../../bus/server/server-config.ts";
import { eventStream } from "../../bus/jetstream/streams.ts";
import { type BusStore, writeBusStore } from "../../journal/access/bus-store.ts";
import { storeFolder, streamFolder } from "../../journal/access/store-holder.ts";
import type { Logger } from "../../proc/logging/log.ts";
import { versionOf } from "../../proc/os/program-version.ts";
import { setSynchronous } from "../../proc/os/synchronous-folder.ts";
import type { Settings } from "../../protocol/settings/settings.ts";

/** The part that writes through to the disk. */
export function syncedBy(version: Version | null, durability: Settings["durability"]): BusStore["synced_by"] {
  if (durability === "fast") return "nobody";
  return nats29.needsSynchronousFolder(version) ? "folder" : "server";
}

/** The version of a nats-server, or null when it doesn't tell. */
export async function serverVersion(binary: string): Promise<Version | null> {
  return parseVersion((await versionOf(binary)) ?? "");
}

/** Gives the store's folder the attributes that are wanted, also under a living server, and writes down what came of it. */
export async function keepStore(
  journal: string,
  version: Version | null,
  durability: Settings["durability"],
  log: Logger,
): Promise<void> {
  const wanted = syncedBy(version, durability);
  const folder = storeFolder(journal);
  const why = await setSynchronous(folder, wanted === "folder", streamFolder(journal, busAccount, eventStream));
  const problem = wanted === "folder" ? why : null;
  await writeBusStore(journal, {
    version: version && versionText(version),
    synced_by: problem === null ? wanted : "nobody",
    problem,
  });
  if (problem !== null)
    log.warn(
      { event: "bus_not_synchronous", store: folder, problem },
      "a power cut may cost what the bus had accepted",
    );
}
