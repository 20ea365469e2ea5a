/** A wall around a program, and its layers over the machine's files. Pure but for a look at what is there. */
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { gitGuards } from "./git-guards.ts";

export type Walls = {
  /** Where the command works, and may write: a real path. */
  folder: string;
  /** Where in it the command begins. */
  cwd?: string;
  /** The folder that `/tmp` is inside: a real path. */
  scratch: string;
  /** The paths that can't be read, and those below them that can all the same: real paths. */
  hidden: readonly string[];
  shown: readonly string[];
  /**
   * The folders that hold hidden files, or may do so at any time: of each there is what it has now and isn't hidden. A file
   * that is hidden by itself is seen when another is renamed over it. Real paths.
   */
  veiled?: readonly string[];
  /** Writable beside the folder: real paths. */
  writable?: readonly string[];
};

/**
 * - `hide`: neither read nor written; `show`: read, below what is hidden.
 * - `veil`: a folder of which there is only what is shown; `keep` and `link`: an entry of one, if it is still there.
 * - `write`: read and written; `pin`: neither moved nor removed, below what is written.
 */
export type Layer = { path: string; kind: "hide" | "veil" | "keep" | "link" | "show" | "write" | "pin" };

/** The layers in the order in which they lie: a later one over an earlier one, a folder before what is in it. */
export function layersOf({ folder, hidden, veiled = [], shown, writable = [] }: Walls): Layer[] {
  const { readOnly, pinned } = gitGuards(folder);
  const kept = veiled.flatMap((path) => entriesIn(path).filter((entry) => !hidden.includes(entry.path)));
  const ranked: [kind: Layer["kind"], paths: readonly string[]][] = [
    ["veil", veiled],
    ["keep", kept.filter(({ isLink }) => !isLink).map(({ path }) => path)],
    ["link", kept.filter(({ isLink }) => isLink).map(({ path }) => path)],
    ["hide", hidden],
    ["show", shown],
    ["write", [folder, ...writable]],
    ["pin", pinned],
    ["show", readOnly],
  ];
  const all = ranked.flatMap(([kind, paths], rank) => paths.map((path) => ({ path, kind, rank })));
  return all.toSorted((one, other) => depth(one.path) - depth(other.path) || one.rank - other.rank);
}

function entriesIn(folder: string): { path: string; isLink: boolean }[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      path: join(folder, entry.name),
      isLink: entry.isSymbolicLink(),
    }));
  } catch {
    return []; // not for this user to see
  }
}

const depth = (path: string) => path.split(sep).length;
