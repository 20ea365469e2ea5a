/** Makes a backup of a journal: a copy that is consistent though programs write to it, as one archive that its owner alone may read. */
import { createWriteStream } from "node:fs";
import { link, mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type BackupManifest, manifestName, writeManifest } from "../../journal/backup/backup-manifest.ts";
import { type CopiedTree, copyChanges, copyTree } from "../../journal/backup/copy-tree.ts";
import { markName } from "../../journal/config/folder-mark.ts";
import { readLiveStatus } from "../../journal/programs/live-status.ts";
import { state } from "../../journal/config/paths.ts";
import { factFiles } from "../../journal/backup/start-clean.ts";
import { readStoreHolder, storeFolder } from "../../journal/access/store-holder.ts";
import { identifyProcess, isAlive } from "../../proc/processes/identity.ts";
import { whilePaused } from "../../proc/processes/paused.ts";
import { packFolder } from "../../proc/os/tar.ts";

export type Backup = CopiedTree & { manifest: BackupManifest; pausedMs: number };

/** The entries of `.state` that belong to those alone who have the journal now. */
const ofThisFolder = new Set([markName, "jetstream"]);
const ofThisStore = new Set(["holder.json", "up.lock", "up.lock-journal"]);

/**
 * The bus's store goes first and the runs last: what moves on meanwhile, from the bus into files, is found in both, as after
 * a crash, and never in neither.
 * @param file must not be there yet
 */
export async function makeBackup(journal: string, file: string, withState: boolean): Promise<Backup> {
  const work = await mkdtemp(join(dirname(file), ".cortex-backup-"));
  try {
    const copy = join(work, "journal");
    await mkdir(copy, { mode: 0o700 });
    const ts = Date.now();
    const pausedMs = withState ? await copyStore(journal, join(copy, ".state", "jetstream")) : 0;
    const isWanted = (path: string) => withState || factFiles.includes(path.split(sep)[0] ?? "");
    const skips = (path: string) => ofThisFolder.has(path) || !isWanted(path);
    const kept = await copyTree(state(journal), join(copy, ".state"), skips);
    // Who waits and what runs, as an agent's state has it, is older than the runs that it names.
    const agents = await copyTree(join(journal, "agents"), join(copy, "agents"), () => false);
    const rest = await copyTree(journal, copy, (path) => isElsewhere(path) || path === "agents" || path === "runs");
    const runs = await copyTree(join(journal, "runs"), join(copy, "runs"), () => false);
    const live = liveStatus(journal);
    const counts = { waiting: live?.waiting.length ?? 0, running: live?.running.length ?? 0 };
    const manifest: BackupManifest = { format: 1, from: journal, ts, with_state: withState, ...counts };
    writeManifest(copy, manifest);
    const archive = join(work, "archive");
    const gzip = createGzip();
    await Promise.all([
      packFolder(copy, gzip),
      pipeline(gzip, createWriteStream(archive, { flags: "wx", mode: 0o600, flush: true })),
    ]);
    await link(archive, file); // a file of that name is never replaced
    const parts = [kept, agents, rest, runs];
    return {
      manifest,
      pausedMs,
      files: parts.reduce((sum, { files }) => sum + files, 0),
      bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
      leftOut: parts.flatMap(({ leftOut }) => leftOut),
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Tests for paths that aren't the journal's content: private folders, those of former copies too, and an earlier
 * backup's manifest.
 */
const isElsewhere = (path: string) =>
  path === ".run" || path === ".state" || path.startsWith(".state.copied-") || path === manifestName;

/**
 * Copies the bus's store as it is at one moment. Its server stands still meanwhile, but only for what has changed since a
 * first copy was made. Returns for how long, in ms.
 */
async function copyStore(journal: string, to: string): Promise<number> {
  const store = storeFolder(journal);
  const begun = Date.now();
  await copyTree(store, to, (path) => ofThisStore.has(path));
  const holder = readStoreHolder(journal)?.identity;
  if (!holder || !isAlive(holder)) return 0;
  let pausedMs = 0;
  await whilePaused(holder.pid, async () => {
    const from = performance.now();
    await copyChanges(store, to, begun);
    pausedMs = performance.now() - from;
  });
  for (const name of ofThisStore) await rm(join(to, name), { force: true });
  return Math.round(pausedMs);
}

function liveStatus(journal: string) {
  const live = readLiveStatus(journal);
  return live && identifyProcess(live.pid) ? live : null;
}

/** Whether a path is below a folder. */
export const isBelow = (folder: string, path: string): boolean => {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith("..") && !way.startsWith("/"));
};
