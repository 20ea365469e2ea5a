/** A wall around a program, and its layers over the machine's files. Pure but for a look at what is there. */
import { sep } from "node:path";
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
  /** Writable beside the folder: real paths. */
  writable?: readonly string[];
};

/**
 * - `hide`: neither read nor written; `show`: read, below what is hidden.
 * - `write`: read and written; `pin`: neither moved nor removed, below what is written.
 */
export type Layer = { path: string; kind: "hide" | "show" | "write" | "pin" };

/** The layers in the order in which they lie: a later one over an earlier one, a folder before what is in it. */
export function layersOf({ folder, hidden, shown, writable = [] }: Walls): Layer[] {
  const { readOnly, pinned } = gitGuards(folder);
  const ranked: [kind: Layer["kind"], paths: readonly string[]][] = [
    ["hide", hidden],
    ["show", shown],
    ["write", [folder, ...writable]],
    ["pin", pinned],
    ["show", readOnly],
  ];
  const all = ranked.flatMap(([kind, paths], rank) => paths.map((path) => ({ path, kind, rank })));
  return all.toSorted((one, other) => depth(one.path) - depth(other.path) || one.rank - other.rank);
}

const depth = (path: string) => path.split(sep).length;
