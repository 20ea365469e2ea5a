/**
 * The files of a repository that git runs: its hooks, and the programs that its settings name. Whoever works in a
 * folder may write all of it but these; otherwise the next `git commit` of its owner, outside of any sandbox, would run
 * what was left there.
 */
import { lstatSync, mkdirSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isRealFolder } from "../../files/folder-entries.ts";
import { pathsNamedFor } from "./git-settings.ts";
import { isWithin } from "./is-within.ts";

/** Repositories are looked for so deep, among so many folders. */
const maxDepth = 4;
const maxFolders = 2_000;

export type GitGuards = {
  /** Paths that become read-only. */
  readOnly: string[];
  /** Folders that are bound onto themselves: what is a mount can't be renamed, and another put in its place. */
  pinned: string[];
};

/**
 * Finds the guards of a folder. A folder of hooks that stands in a work tree is made where it is missing, as git's own is.
 * @param folder a real path
 */
export function gitGuards(folder: string): GitGuards {
  const readOnly = new Set<string>();
  const pinned = new Set<string>();
  const pinAbove = (path: string) => {
    for (let above = dirname(path); above !== folder && isWithin(above, folder); above = dirname(above))
      pinned.add(above);
  };
  const below = repositories(folder);
  for (const git of below) {
    pinAbove(git);
    if (isRealFolder(git)) {
      pinned.add(git);
      for (const path of guardedOf(git)) readOnly.add(path);
    } else readOnly.add(git); // it says where the repository is
  }
  for (const git of [...below, ...repositoriesAround(folder)])
    for (const path of namedInside(git, folder)) {
      pinAbove(path);
      readOnly.add(path);
    }
  return { readOnly: [...readOnly], pinned: [...pinned].filter((path) => !readOnly.has(path)) };
}

/** The entries of a repository's own folder that git runs or believes. The last two hold the folders of other work trees. */
const guardedNames = [
  "hooks",
  "config",
  "config.worktree",
  "commondir",
  "gitdir",
  "objects/info/alternates",
  "modules",
  "worktrees",
];

/**
 * Finds the guarded paths of a repository's own folder: what stands there, and the folder of hooks, which is made where
 * it is missing.
 */
function guardedOf(git: string): string[] {
  makeFolder(join(git, "hooks"));
  return guardedNames.map((name) => join(git, name)).filter(isThere);
}

/**
 * Finds the paths in a folder that the settings of a repository name: its folders of hooks, and files of settings. Of
 * husky's `_`, whose hooks run those beside it, that is the folder around it. Real paths.
 */
function namedInside(git: string, folder: string): string[] {
  const workTree = dirname(git);
  const isInside = (path: string) => path !== folder && isWithin(path, folder) && !isWithin(workTree, path);
  const { hooks, included } = pathsNamedFor(git);
  const folders = hooks
    .map((path) => resolve(workTree, path))
    .map((path) => realPlace(basename(path) === "_" ? dirname(path) : path))
    .filter(isInside);
  for (const path of folders) makeFolder(path);
  return [...folders, ...included.map(realPlace).filter(isInside)].filter(isThere);
}

/** The repositories in whose work tree the folder is. */
function repositoriesAround(folder: string): string[] {
  const found: string[] = [];
  for (let path = dirname(folder); path !== dirname(path); path = dirname(path))
    if (isThere(join(path, ".git"))) found.push(join(path, ".git"));
  return found;
}

/** Where a path really leads; what isn't there, from where the last folder that is there leads. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realPlace(above), basename(path));
  }
}

function repositories(folder: string): string[] {
  const found: string[] = [];
  const waiting = [{ folder, depth: 0 }];
  for (let seen = 0, next = waiting.shift(); next && seen < maxFolders; seen++, next = waiting.shift())
    for (const entry of entriesOf(next.folder)) {
      const path = join(next.folder, entry.name);
      if (entry.name === ".git" && !entry.isSymbolicLink()) found.push(path);
      else if (entry.isDirectory() && entry.name !== "node_modules" && next.depth < maxDepth)
        waiting.push({ folder: path, depth: next.depth + 1 });
    }
  return found;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch {
    // One that can't be made needs no guard.
  }
}

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
