/** Which files of a worktree a run has changed: what is to be taken into our index of it, without following what it put there. */
import { accessSync, constants, copyFileSync, lstatSync, realpathSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import { git } from "../proc/git/safe-git.ts";

export type GitPlace = { gitDir: string; workTree: string };

/** Paths are handled as bytes, in `latin1`: a name needn't be UTF-8. */
export const shownPath = (path: string) => Buffer.from(path, "latin1").toString("utf8");

/** Bytes of one file. A larger one is left out. */
const maxFileBytes = 100 * 1024 * 1024;
const maxPaths = 200_000;
const gitlink = "160000";

/** Takes what stands there into the index. Returns what was left out. @throws GitError */
export async function takeIntoIndex(at: GitPlace): Promise<string[]> {
  const tracked = await entriesOf(at, ["ls-files", "-z", "-s"]);
  const isInner = new Set(tracked.filter((entry) => entry.startsWith(gitlink)).map(pathOf));
  const known = tracked.map(pathOf).filter((path) => !isInner.has(path));
  const others = await entriesOf(at, ["ls-files", "-z", "--others", "--exclude-standard"]);
  const committed = await ownIndex(at);
  const candidates = new Set([...known, ...others, ...committed]);
  if (candidates.size > maxPaths) throw new Error(`${candidates.size} files: at most ${maxPaths} are compared`);
  const leftOut: string[] = [];
  const [present, gone]: [string[], string[]] = [[], []];
  const isFolder = folderLook(at.workTree);
  const wasKnown = new Set(known);
  for (const path of candidates) {
    const isNested = path.endsWith("/") || parentsOf(path).some((parent) => isInner.has(parent));
    const stats = !isNested && parentsOf(path).every(isFolder) ? entryStats(at.workTree, path) : null;
    if (isNested) leftOut.push(path);
    else if (!stats?.isFile() && !stats?.isSymbolicLink()) {
      if (wasKnown.has(path)) gone.push(path);
    } else if (isReadable(at.workTree, path, stats)) present.push(path);
    else leftOut.push(path);
  }
  // First what is gone: a file may have become a folder.
  await update(at, ["--force-remove"], gone);
  await update(at, ["--add", "--replace"], present);
  return leftOut.map(shownPath).toSorted();
}

const pathOf = (entry: string) => entry.slice(entry.indexOf("\t") + 1);

async function entriesOf(at: GitPlace & { index?: string }, args: string[]): Promise<string[]> {
  const text = (await git(at, args)).toString("latin1");
  return text.split("\0").filter((entry) => entry !== "");
}

/**
 * Lists the files that the run itself has told git of, ignored ones among them. Whatever it left there may be anything.
 */
async function ownIndex(at: GitPlace): Promise<string[]> {
  const copy = join(at.gitDir, "index.theirs");
  try {
    const folder = join(at.workTree, ".git");
    const stats = lstatSync(join(folder, "index"));
    if (realpathSync(folder) !== folder || !stats.isFile() || stats.size > maxFileBytes) return [];
    copyFileSync(join(folder, "index"), copy);
    const entries = await entriesOf({ ...at, index: copy }, ["ls-files", "-z", "-s"]);
    return entries.filter((entry) => !entry.startsWith(gitlink)).map(pathOf);
  } catch {
    return [];
  } finally {
    rmSync(copy, { force: true });
  }
}

async function update(at: GitPlace, how: string[], paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
  await git(at, ["update-index", "-z", ...how, "--stdin"], { input });
}

/** The folders above a path, the outermost first. */
export function parentsOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** The bytes of a path below a folder. */
export const bytesOf = (folder: string, path: string) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);

export function entryStats(folder: string, path: string): Stats | null {
  try {
    return lstatSync(bytesOf(folder, path));
  } catch {
    return null;
  }
}

/** Whether a path is a folder and no link to one. Remembers. */
function folderLook(folder: string): (path: string) => boolean {
  const seen = new Map<string, boolean>();
  return (path) => {
    const known = seen.get(path) ?? entryStats(folder, path)?.isDirectory() === true;
    seen.set(path, known);
    return known;
  };
}

function isReadable(folder: string, path: string, stats: Stats): boolean {
  if (stats.isSymbolicLink()) return true;
  if (stats.size > maxFileBytes) return false;
  try {
    accessSync(bytesOf(folder, path), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
