/** The arguments of bubblewrap for a work folder. Pure but for a look at what is there: a mount needs something to stand on. */
import { lstatSync } from "node:fs";
import { relative, sep } from "node:path";
import { gitGuards } from "./git-guards.ts";

export type Walls = {
  /** Where the command works, and may write: a real path. */
  folder: string;
  /** Where in it the command begins. */
  cwd?: string;
  /** What `/tmp` is inside: a real path. */
  scratch: string;
  /** What can't be read, and what below that can all the same: real paths. */
  hidden: readonly string[];
  shown: readonly string[];
  /** Writable beside the folder: real paths. */
  writable?: readonly string[];
};

type Mount = { path: string; kind: "hide" | "show" | "write" | "pin"; rank: number };

/** Of temporary file systems in memory. */
const memoryBytes = String(64 * 1024 * 1024);

/** What stands there inside is the sandbox's own. */
const replaced = ["/dev", "/proc", "/run", "/tmp"];

/** Who may pass through a hidden folder can't list it. */
const passable = "0111";

/**
 * What goes before the command. Later mounts lie over earlier ones, so a folder comes before what is in it.
 * @param features what this bubblewrap understands
 */
export function bubblewrapArguments(walls: Walls, features: { disablesUserns: boolean; hasSize: boolean }): string[] {
  const size = features.hasSize ? ["--size", memoryBytes] : [];
  const { mounts, sealed } = mountsOf(walls, size);
  return [
    ...options("--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try"),
    ...(features.disablesUserns ? ["--disable-userns"] : []),
    ...options("--die-with-parent --new-session --cap-drop ALL --hostname sandbox --ro-bind / / --dev /dev"),
    ...size,
    ...options("--perms 1777 --tmpfs /dev/shm --proc /proc"),
    ...size,
    ...options("--tmpfs /run --bind"),
    walls.scratch,
    "/tmp",
    ...mounts,
    ...sealed.flatMap((path) => ["--remount-ro", path]),
    ...options("--remount-ro /run --remount-ro /dev --chdir"),
    walls.cwd ?? walls.folder,
  ];
}

/** Options without a space in any, as they are typed. */
const options = (line: string) => line.split(" ");

function mountsOf({ folder, hidden, shown, writable = [] }: Walls, size: string[]) {
  const { readOnly, pinned } = gitGuards(folder);
  const all: Mount[] = [
    ...hidden.map((path): Mount => ({ path, kind: "hide", rank: 0 })),
    ...shown.map((path): Mount => ({ path, kind: "show", rank: 1 })),
    ...[folder, ...writable].map((path): Mount => ({ path, kind: "write", rank: 2 })),
    ...pinned.map((path): Mount => ({ path, kind: "pin", rank: 3 })),
    ...readOnly.map((path): Mount => ({ path, kind: "show", rank: 4 })),
  ];
  const ordered = all.toSorted((one, other) => depth(one.path) - depth(other.path) || one.rank - other.rank);
  const sealed: string[] = [];
  const done: Mount[] = [];
  const mounts = ordered.flatMap((mount) => {
    const { path, kind } = mount;
    const around = done.findLast((other) => other.path !== path && isWithin(path, other.path));
    const isHidden = around === undefined ? replaced.some((base) => isWithin(path, base)) : around.kind === "hide";
    // What is hidden with its folder needs no mount, which would show its name; nor does what can be read anyway.
    if (kind === "hide" && (isHidden || path === folder)) return [];
    if (kind === "show" && around === undefined && !isHidden) return [];
    done.push(mount);
    if (kind !== "hide") return [kind === "show" ? "--ro-bind" : "--bind", path, path];
    if (!isFolder(path)) return ["--ro-bind", "/dev/null", path];
    sealed.push(path);
    return [...size, "--perms", passable, "--tmpfs", path];
  });
  return { mounts, sealed: sealed.toReversed() };
}

const depth = (path: string) => path.split(sep).length;

/** Whether a path is at or below another. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

const isFolder = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
