/** Makes a journal of a backup. What stands in an archive is believed of nobody: it is unpacked apart, looked at, and only then put in its place. */
import {
  chmodSync,
  createReadStream,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
} from "node:fs";
import { mkdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve, sep } from "node:path";
import { createGunzip } from "node:zlib";
import { messageOf } from "../../files/errors/error-message.ts";
import { activeFiles } from "../../journal/runs/active-runs.ts";
import { type BackupManifest, manifestName, readManifest } from "../../journal/backup/backup-manifest.ts";
import { freeBytes } from "../../files/free-space.ts";
import { dropAccepted, factFiles } from "../../journal/backup/start-clean.ts";
import { unpackInto } from "../../proc/os/tar.ts";

/** Bytes that stay free on the disk. */
const spareBytes = 64 * 1024 * 1024;

export type RestoreReport = { manifest: BackupManifest; withState: boolean; runs: number; messages: number };

/** A backup that can't be restored: told to the one who asked. */
export class RestoreError extends Error {
  override name = "RestoreError";
}

/**
 * @param folder must not be there, or be empty
 * @throws RestoreError
 */
export async function restoreBackup(file: string, folder: string, wantsState: boolean): Promise<RestoreReport> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new RestoreError(`${folder} isn't empty: a journal is never overwritten`);
  await mkdir(dirname(folder), { recursive: true });
  const work = mkdtempSync(join(dirname(folder), `.${basename(folder)}-restoring-`));
  try {
    const unpacked = join(work, "journal");
    await mkdir(unpacked, { mode: 0o700 });
    await unpack(file, unpacked);
    checkTree(unpacked, unpacked);
    const manifest = readManifest(unpacked);
    if (!manifest)
      throw new RestoreError(`${file} holds no ${manifestName} that can be read: it is not a backup of a journal`);
    await rm(join(unpacked, manifestName));
    const withState = wantsState && manifest.with_state;
    if (!withState) dropWork(join(unpacked, ".state"));
    const why = "this journal was restored from a backup without its accepted work; the run was in progress then";
    const left = withState ? { runs: activeFiles(unpacked).length, messages: 0 } : await dropAccepted(unpacked, why);
    if (existsSync(folder)) await rmdir(folder);
    await rename(unpacked, folder);
    return { manifest, withState, ...left };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function dropWork(lasting: string): void {
  if (!existsSync(lasting)) return;
  for (const name of readdirSync(lasting).filter((one) => !factFiles.includes(one)))
    rmSync(join(lasting, name), { recursive: true });
}

async function unpack(file: string, to: string): Promise<void> {
  const from = createReadStream(file);
  const gunzip = createGunzip();
  from.on("error", (error) => gunzip.destroy(error));
  try {
    await unpackInto(to, from.pipe(gunzip), Math.max(0, freeBytes(to) - spareBytes));
  } catch (error) {
    const message = messageOf(error);
    throw new RestoreError(`${file} can't be unpacked: ${message}`, { cause: error });
  }
}

/** Files and folders alone, and links that stay inside; nobody else may read any of it. @throws RestoreError */
function checkTree(root: string, folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const shown = path.slice(root.length + 1);
    if (stats.isSymbolicLink()) {
      if (!`${resolve(folder, readlinkSync(path))}${sep}`.startsWith(root + sep))
        throw new RestoreError(`"${shown}" in it is a link that leads out of the journal`);
      continue;
    }
    if (stats.isDirectory()) {
      chmodSync(path, 0o700);
      checkTree(root, path);
      continue;
    }
    if (!stats.isFile()) throw new RestoreError(`"${shown}" in it is not a file, folder or link`);
    if (stats.nlink > 1) throw new RestoreError(`"${shown}" in it is a second name of another file`);
    chmodSync(path, stats.mode & 0o100 ? 0o700 : 0o600);
  }
}
