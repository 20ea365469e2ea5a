/** The checks of what the bus's server can do, and whether what it acknowledges survives a power cut. */
import {
  type FeatureName,
  features,
  hasFeature,
  isSupported,
  oldestText,
  parseVersion,
  versionText,
} from "../../bus/connection/features.ts";
import { busAccount } from "../../bus/server/server-config.ts";
import { eventStream } from "../../bus/jetstream/streams.ts";
import { readBusStore } from "../../journal/access/bus-store.ts";
import { readBusAccess, readEndpoints } from "../../journal/access/endpoints.ts";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { storeFolder, streamFolder } from "../../journal/access/store-holder.ts";
import { identifyProcess, isAlive } from "../../proc/processes/identity.ts";
import type { Environment } from "../../proc/programs/environment.ts";
import { findNatsServer } from "../../proc/os/find-program.ts";
import { versionOf } from "../../proc/os/program-version.ts";
import { isSynchronous } from "../../proc/os/synchronous-folder.ts";
import { syncedBy } from "../../supervisor/programs/bus-store.ts";
import { checkSettings } from "../settings/check-settings.ts";
import { addressOf, greeting, natsInfo, natsPort } from "../start/nats-greeting.ts";
import type { Finding } from "./check.ts";
import { unsafeStoreCost, storeWarning } from "../../web/machine/health/store-warning.ts";

/** Which of the things that differ from version to version the server has: the one that runs, else the one that would be started. */
export async function checkFeatures({ journalPath: journal, natsUrl }: Environment): Promise<Finding> {
  const name = "features";
  const said = await runningVersion(natsUrl ?? readEndpoints(journal)?.nats_url);
  const path = natsUrl === undefined ? findNatsServer() : null;
  const version = parseVersion(said ?? (path === null ? "" : ((await versionOf(path)) ?? "")));
  if (version === null) return { name, ok: "ok", detail: "no nats-server reports its version" };
  const rows = (Object.keys(features) as FeatureName[]).map((feature) => {
    if (hasFeature(feature, version)) return `${feature} on`;
    return `${feature} off, from ${versionText(features[feature].since)} on: ${features[feature].without}`;
  });
  const detail = `nats-server ${versionText(version)}: ${rows.join("; ")}`;
  if (!isSupported(version))
    return { name, ok: "warn", detail: `${detail}. It is older than ${oldestText}, the oldest tested version` };
  const ignored = ignoredOptions(journal);
  if (ignored.length === 0) return { name, ok: "ok", detail };
  return {
    name,
    ok: "warn",
    detail: `${detail}. The server ignored options: ${ignored.join("; ")}`,
    remedy: "install another nats-server, then: cortex up",
  };
}

/** Whether what the bus acknowledges is on the disk by then. */
export async function checkStore({ journalPath: journal, natsUrl }: Environment): Promise<Finding> {
  const name = "store";
  if (natsUrl !== undefined || isElsewhere(journal))
    return {
      name,
      ok: "warn",
      detail: `the bus isn't this journal's own: whether its server writes through to the disk can't be checked from here; if not, ${unsafeStoreCost}`,
      remedy:
        "in its configuration: jetstream { sync_interval: always } (2.10 or newer), or replicas on other machines",
    };
  const { durability } = checkSettings(journal).settings;
  const store = readBusStore(journal);
  if (!store) return { name, ok: "ok", detail: `no server has been started: ${plan(durability)}` };
  const warning = storeWarning(store);
  if (warning) return { name, ok: "warn", ...warning };
  const wanted = syncedBy(parseVersion(store.version ?? ""), durability);
  if (store.synced_by !== wanted)
    return {
      name,
      ok: "warn",
      detail: `cortex.json says "durability": "${durability ?? "safe"}", and the server was started with another`,
      remedy: "cortex up",
    };
  if (wanted === "nobody") return { name, ok: "ok", detail: `"durability": "fast": ${unsafeStoreCost}` };
  if (wanted === "server") return { name, ok: "ok", detail: "synchronous, by the server (sync_interval: always)" };
  const folder = storeFolder(journal);
  if (await isSynchronous(folder, streamFolder(journal, busAccount, eventStream)))
    return { name, ok: "ok", detail: `synchronous, by the attribute S of ${folder}` };
  return {
    name,
    ok: "warn",
    detail: `${folder} has lost its attribute S: ${unsafeStoreCost}`,
    remedy: `chattr -R +S ${folder}`,
  };
}

/** Whether what runs here uses another host's bus. */
function isElsewhere(journal: string): boolean {
  const url = readEndpoints(journal)?.nats_url;
  return url !== undefined && url !== readBusAccess(journal)?.url;
}

function plan(durability: "fast" | "safe" | undefined): string {
  return durability === "fast"
    ? `"durability": "fast", so ${unsafeStoreCost}`
    : "its store will be synchronous where the file system supports it";
}

/** Lists the options that the running cortex found missing in what the server made. */
function ignoredOptions(journal: string): string[] {
  const live = readLiveStatus(journal);
  const holder = live && identifyProcess(live.pid);
  return holder && isAlive(holder) ? (live.bus_ignores ?? []) : [];
}

async function runningVersion(url: string | undefined): Promise<string | null> {
  if (url === undefined) return null;
  const [first = url] = url.split(",");
  const { host, port } = addressOf(first, natsPort);
  return natsInfo(await greeting(host, port))?.version ?? null;
}
