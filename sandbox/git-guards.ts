/**
 * What git runs of a repository: its hooks, and the programs that its settings name. Whoever works in a folder may write all
 * of it but these; otherwise the next `git commit` of its owner, outside of any sandbox, would run what was left there.
 */
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

/** Repositories are looked for so deep, among so many folders. */
const maxDepth = 4;
const maxFolders = 2_000;

export type GitGuards = {
  /** Paths that become read-only. */
  readOnly: string[];
  /** Folders that are bound onto themselves: what is a mount can't be renamed, and another put in its place. */
  pinned: string[];
};

/** @param folder a real path */
export function gitGuards(folder: string): GitGuards {
  const guards: GitGuards = { readOnly: [], pinned: [] };
  const pinned = new Set<string>();
  for (const git of repositories(folder)) {
    for (let path = dirname(git); path !== folder && path.length > folder.length; path = dirname(path))
      pinned.add(path);
    if (isFolder(git)) {
      pinned.add(git);
      guards.readOnly.push(...guardedOf(git));
    } else guards.readOnly.push(git); // it says where the repository is
  }
  return { ...guards, pinned: [...pinned] };
}

/** Of a repository's own folder: what stands there, and the folder of hooks, which is made where it is missing. */
export function guardedOf(git: string): string[] {
  try {
    mkdirSync(join(git, "hooks"), { recursive: true });
  } catch {
    // One that can't be written to needs no guard.
  }
  return ["hooks", "config", "config.worktree", "commondir", "gitdir", "objects/info/alternates"]
    .map((name) => join(git, name))
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
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

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
