/** The arguments of bubblewrap for a work folder. Pure but for a look at what is there: a mount needs something to stand on. */
import { readlinkSync } from "node:fs";
import { isRealFolder } from "../../files/folder-entries.ts";
import { isWithin } from "./is-within.ts";
import { type Layer, layersOf, type Walls } from "./walls.ts";

/** The bubblewrap of this machine, and what it understands. */
export type Bubblewrap = {
  kind: "bubblewrap";
  program: string;
  shell: string;
  disablesUserns: boolean;
  hasSize: boolean;
  /** Whether the kernel counts a sandbox's processes by themselves: for everybody but root it does. */
  countsTasks: boolean;
  /** For root: what makes a namespace whose number of process ids is bounded, or null where there is none. */
  boundsIds: string | null;
};

/** Bytes of temporary file systems in memory. */
const memoryBytes = String(64 * 1024 * 1024);

/** The folders that are the sandbox's own inside. */
const replaced = ["/dev", "/proc", "/run", "/tmp"];

/** The mode of a hidden folder: it can be passed through, and not listed. And of a veiled one. */
const passable = "0111";
const listed = "0755";

/**
 * Builds the arguments before the command. Later mounts lie over earlier ones, so a folder comes before what is in it.
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

function mountsOf(walls: Walls, size: string[]) {
  const sealed: string[] = [];
  const done: Layer[] = [];
  const mounts = layersOf(walls).flatMap((mount) => {
    const { path, kind } = mount;
    const around = done.findLast((other) => other.path !== path && isWithin(path, other.path));
    const isHidden =
      around === undefined ? replaced.some((base) => isWithin(path, base)) : ["hide", "veil"].includes(around.kind);
    // What is hidden with its folder needs no mount, which would show its name; nor does what can be read anyway.
    if (kind === "hide" && (isHidden || path === walls.folder)) return [];
    if (kind === "show" && around === undefined && !isHidden) return [];
    if (kind === "veil" && isHidden) return [];
    if ((kind === "keep" || kind === "link") && around?.kind !== "veil") return [];
    if (kind === "link") return linkTo(path);
    done.push(mount);
    if (kind === "keep") return ["--ro-bind-try", path, path];
    if (kind === "veil") {
      sealed.push(path);
      return [...size, "--perms", listed, "--tmpfs", path];
    }
    if (kind !== "hide") return [kind === "show" ? "--ro-bind" : "--bind", path, path];
    if (!isRealFolder(path)) return ["--ro-bind", "/dev/null", path];
    sealed.push(path);
    return [...size, "--perms", passable, "--tmpfs", path];
  });
  return { mounts, sealed: sealed.toReversed() };
}

/** Nothing, if it is gone by now. */
function linkTo(path: string): string[] {
  try {
    return ["--symlink", readlinkSync(path), path];
  } catch {
    return [];
  }
}
