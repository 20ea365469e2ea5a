/** Whether the changes of a worktree fit the user's folder as it is now: each file holds what they were made from, or what they make of it. */
import { readdirSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { WorktreeRecord } from "../journal/worktrees/worktree-record.ts";
import { git } from "../proc/git/safe-git.ts";
import { bytesOf, entryStats, parentsOf, shownPath } from "./changed-files.ts";

/** A file as git knows it: `100644 <object>`; null: it isn't there. */
type Version = string | null;

export type Step = {
  /** In `latin1`: its bytes. */
  path: string;
  before: Version;
  after: Version;
  /** As it is in the folder. */
  now: Version;
  stats: Stats | null;
};

export type Conflict = { path: string; why: string };

/**
 * Compares the folder with a worktree: what is to be done to it, without what it holds already, and what stands against
 * that.
 */
export async function compareFolder(
  gitDir: string,
  { base, commit, folder }: WorktreeRecord,
): Promise<{ steps: Step[]; conflicts: Conflict[] }> {
  const changed = await changedBetween(gitDir, base, commit ?? base);
  const looked = changed.map((one) => ({ ...one, stats: statsIn(folder, one.path) }));
  const files = looked.filter(({ stats }) => stats?.isFile() || stats?.isSymbolicLink()).map(({ path }) => path);
  const versions = await versionsOf(gitDir, folder, files);
  const steps = looked.map((one): Step => ({ ...one, now: versions.get(one.path) ?? null }));
  const removed = new Set(steps.filter(({ after }) => after === null).map(({ path }) => path));
  const conflicts = steps.flatMap((step) => {
    const why = whyNot(step, folder, removed);
    return why === null ? [] : [{ path: shownPath(step.path), why }];
  });
  return {
    steps: steps.filter(({ now, after, stats }) => now !== after || (after === null && stats !== null)),
    conflicts,
  };
}

function whyNot(
  { path, before, after, now, stats }: Step,
  folder: string,
  removed: ReadonlySet<string>,
): string | null {
  const blocking = parentsOf(path).find((parent) => {
    const above = entryStats(folder, parent);
    return above !== null && !above.isDirectory() && !removed.has(parent);
  });
  if (blocking !== undefined) return `"${shownPath(blocking)}" is not a folder there`;
  if (now === after && (now !== null || stats === null)) return null;
  if (stats?.isDirectory()) return after !== null && holdsOnly(folder, path, removed) ? null : "a folder stands there";
  if (stats !== null && now === null) return "what stands there is no file that can be read";
  if (now === before) return null;
  if (before === null) return "another file stands there by now";
  return now === null ? "it was removed meanwhile" : "it was changed meanwhile";
}

/** A file that is no link, below folders that are none. */
function statsIn(folder: string, path: string): Stats | null {
  return parentsOf(path).every((parent) => entryStats(folder, parent)?.isDirectory()) ? entryStats(folder, path) : null;
}

/** Whether nothing is in a folder but what is removed anyway. */
function holdsOnly(folder: string, path: string, removed: ReadonlySet<string>): boolean {
  return readdirSync(bytesOf(folder, path), { encoding: "latin1", withFileTypes: true }).every((entry) => {
    const below = `${path}/${entry.name}`;
    return entry.isDirectory() ? holdsOnly(folder, below, removed) : removed.has(below);
  });
}

async function changedBetween(gitDir: string, base: string, commit: string) {
  const text = await git({ gitDir }, ["diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", base, commit]);
  const fields = text.toString("latin1").split("\0");
  return fields.flatMap((field, at) => {
    if (at % 2 === 1 || !field.startsWith(":")) return [];
    const [oldMode = "", newMode = "", old = "", next = ""] = field.slice(1).split(" ");
    return [{ path: fields[at + 1] ?? "", before: versionOf(oldMode, old), after: versionOf(newMode, next) }];
  });
}

const versionOf = (mode: string, object: string): Version => (/^0+$/.test(object) ? null : `${mode} ${object}`);

/**
 * Computes the versions that git would store of files of the user's folder, line ends converted as its attributes say.
 * No filter is run.
 */
async function versionsOf(gitDir: string, folder: string, paths: readonly string[]): Promise<Map<string, string>> {
  const index = join(gitDir, "index.folder");
  const at = { gitDir, workTree: folder, index };
  rmSync(index, { force: true });
  try {
    const input = Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
    await git(at, ["update-index", "-z", "--add", "--stdin"], { input });
    const entries = (await git(at, ["ls-files", "-z", "-s"])).toString("latin1").split("\0");
    return new Map(
      entries.flatMap((entry) => {
        const at = entry.indexOf("\t");
        const [mode = "", object = ""] = entry.slice(0, Math.max(0, at)).split(" ");
        return at === -1 ? [] : [[entry.slice(at + 1), `${mode} ${object}`] as const];
      }),
    );
  } finally {
    rmSync(index, { force: true });
  }
}
