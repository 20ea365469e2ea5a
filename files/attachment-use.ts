/**
 * When a stored content was last used, which is its time of change, and its removal a long time later. What goes is moved aside
 * first, and whoever uses it meanwhile takes it back: so a use is never lost, and neither is a content whose remover is killed.
 */
import { constants } from "node:fs";
import { type FileHandle, lstat, lutimes, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { attachmentIdPattern, contentPath } from "../protocol/files/attachment.ts";
import { hasCode } from "./errors/errno.ts";

/** The path of a content's record, beside it. */
export const recordPath = (path: string) => `${path}.json`;

const suffix = ".unused";
const asidePath = (path: string) => `${path}${suffix}`;

/** Makes a content one that was used now. False: there is none. */
export async function noteUse(path: string): Promise<boolean> {
  const now = new Date();
  // By `l`: a link in a content's place leads to somebody else's file.
  return (await orTakenBack(path, () => lutimes(path, now, now).then(() => true))) ?? false;
}

/** @throws Error with code ENOENT: there is none */
export async function openContent(path: string): Promise<FileHandle> {
  const opening = () => open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  return (await orTakenBack(path, opening)) ?? opening();
}

/** Does something with a content, which is taken back first where it was moved aside. Null: there is none. */
async function orTakenBack<T>(path: string, work: () => Promise<T>): Promise<T | null> {
  // A process in a sandbox may read the store and no more.
  const takingBack = () => orNull(() => rename(asidePath(path), path).then(work), "EROFS", "EACCES", "EPERM");
  return (await orNull(work)) ?? (await takingBack());
}

async function orNull<T>(work: () => Promise<T>, ...codes: string[]): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", ...codes)) return null;
    throw error;
  }
}

/** The ids of contents that nobody has used since. One whose last use is yet to come, by a clock that was set back, was used now. */
export async function* unusedSince(folder: string, since: number): AsyncGenerator<string> {
  for (const first of await namesIn(folder)) {
    if (!/^[0-9a-f]{2}$/.test(first)) continue;
    const names = await namesIn(join(folder, first));
    for (const id of new Set(names.map((name) => name.replace(suffix, "")))) {
      if (!attachmentIdPattern.test(id)) continue;
      const path = join(folder, contentPath(id));
      const stats = (await orNull(() => lstat(path))) ?? (await orNull(() => lstat(asidePath(path))));
      if (stats && stats.mtimeMs > Date.now()) await noteUse(path);
      else if (stats && stats.mtimeMs < since) yield id;
    }
  }
}

/**
 * Removes a content that nobody has used since, with its record.
 * @returns the bytes that are free now; null: it is kept
 */
export async function removeUnused(folder: string, id: string, since: number): Promise<number | null> {
  const path = join(folder, contentPath(id));
  const aside = asidePath(path);
  const isUnused = async (one: string) => (await lstat(one)).mtimeMs < since;
  // A remover that was killed has left it there. Where both are, somebody has stored it again.
  if ((await orNull(() => isUnused(path))) === null) await orNull(() => rename(aside, path));
  const freed = await orNull(async () => {
    if (!(await isUnused(path))) return 0;
    await rename(path, aside);
    if (await isUnused(aside)) {
      const { size } = await lstat(aside);
      await rm(recordPath(path), { force: true });
      await rm(aside);
      return size;
    }
    await rename(aside, path);
    return 0;
  });
  return freed === 0 ? null : freed;
}

const namesIn = async (folder: string): Promise<string[]> => (await orNull(() => readdir(folder))) ?? [];
