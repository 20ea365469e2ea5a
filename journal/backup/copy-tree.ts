/**
 * Copies a folder while others write to it. A file that is replaced is copied old or new, one that grows as far as it had
 * come, and a run that ends meanwhile, whose file gets another name, isn't missed.
 */
import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readdir, readlink, rm, stat, symlink } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";

export type CopiedTree = {
  files: number;
  bytes: number /** Entries that are neither file nor folder, and links that lead out. */;
  leftOut: string[];
};

/** A change within so long before a copy began may not show in a file's time. */
const coarseMs = 2000;

/** @param skips paths relative to `from` that aren't copied, with all below them */
export async function copyTree(from: string, to: string, skips: (path: string) => boolean): Promise<CopiedTree> {
  const done: CopiedTree = { files: 0, bytes: 0, leftOut: [] };
  await copyFolder(from, to, "", skips, done);
  return done;
}

/** Copies again what has changed since a copy was begun at `sinceMs`, and drops from it what isn't there any more. */
export async function copyChanges(from: string, to: string, sinceMs: number): Promise<void> {
  for (const name of await namesIn(to))
    if (!(await existing(join(from, name)))) await rm(join(to, name), { recursive: true });
  for (const name of await namesIn(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    const stats = await existing(source);
    if (stats?.isDirectory()) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await copyChanges(source, target, sinceMs);
    } else if (stats?.isFile()) {
      const copy = await existing(target);
      if (copy?.size !== stats.size || stats.mtimeMs > sinceMs - coarseMs) await copyOne(source, target, stats.mode);
    }
  }
}

async function copyFolder(
  from: string,
  to: string,
  below: string,
  skips: (path: string) => boolean,
  done: CopiedTree,
): Promise<void> {
  await mkdir(join(to, below), { recursive: true, mode: 0o700 });
  const seen = new Set<string>();
  // Listed until there is nothing new: what was renamed while it was listed is found under its new name.
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const name of await namesIn(join(from, below))) {
      if (seen.has(name)) continue;
      seen.add(name);
      isNew = true;
      const path = join(below, name);
      if (!skips(path)) await copyEntry(from, to, path, skips, done);
    }
  }
}

async function copyEntry(
  from: string,
  to: string,
  path: string,
  skips: (path: string) => boolean,
  done: CopiedTree,
): Promise<void> {
  const [source, target] = [join(from, path), join(to, path)];
  const stats = await existing(source);
  if (!stats) return;
  if (stats.isDirectory()) return copyFolder(from, to, path, skips, done);
  if (stats.isSymbolicLink()) {
    const leads = await readlink(source);
    if (!isWithin(from, resolve(dirname(source), leads))) return void done.leftOut.push(path);
    return symlink(relative(dirname(source), resolve(dirname(source), leads)), target);
  }
  if (!stats.isFile()) return void done.leftOut.push(path);
  if (!(await copyOne(source, target, stats.mode))) return;
  done.files += 1;
  done.bytes += (await stat(target)).size;
}

/** Returns whether it was there. */
async function copyOne(source: string, target: string, mode: number): Promise<boolean> {
  try {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, mode & 0o700);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
}

const isWithin = (folder: string, path: string) => path === folder || path.startsWith(folder + sep);

const existing = (path: string) => lstat(path).catch(unlessMissing(null));
const namesIn = (folder: string) => readdir(folder).catch(unlessMissing<string[]>([]));

function unlessMissing<T>(instead: T) {
  return (error: unknown): T => {
    if (hasCode(error, "ENOENT")) return instead;
    throw error;
  };
}
