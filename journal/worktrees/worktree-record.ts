/** Worktrees of runs and agents, `worktrees/<id>/`: where their parts stand, and what became of the changes in them. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { awaitFileLock } from "../../files/locks/file-lock.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { ChangedFile } from "../../protocol/events/changed-file.ts";
import { worktreeId } from "../../protocol/names/names.ts";
import { runtime } from "../config/paths.ts";

/**
 * How the changes of a worktree stand: `none` were found so far, `open` wait to be looked at, `applied` are in the user's
 * folder, `dropped` are gone, `conflict`: they couldn't be applied.
 */
const ChangesState = z.enum(["none", "open", "applied", "dropped", "conflict"]);

export const WorktreeRecord = z.object({
  id: z.string().regex(worktreeId),
  /** The run that has worked in it last. */
  agent_id: z.string(),
  /** Runs that have begun to work in it, and whose changes weren't taken yet: turns of an agent and its tasks share one. */
  at_work: z.array(z.string()).default([]),
  /** The user's folder: a real path. */
  folder: z.string(),
  /** Its repository's own folder, and the folders with its objects, its own first. */
  git_dir: z.string(),
  objects: z.array(z.string()).min(1),
  branch: z.string(),
  /** The commit of the user's that it was made from. */
  origin: z.string(),
  /** The commit with which its changes are compared: `origin`, later what was applied. */
  base: z.string(),
  /** The branch as it was last written. */
  commit: z.string().optional(),
  /** Whether the user's repository has the branch. */
  is_published: z.boolean(),
  state: ChangesState,
  files: z.array(ChangedFile),
  /** The paths that couldn't be taken: repositories in it, and files that are too large or can't be read. */
  left_out: z.array(z.string()),
  updated: z.number(),
});
export type WorktreeRecord = z.infer<typeof WorktreeRecord>;

export const worktreesFolder = (journal: string) => join(journal, "worktrees");

/** Where the parts of a worktree stand. @throws Error for what is no id */
export function worktreePaths(journal: string, id: string) {
  if (!worktreeId.test(id)) throw new Error(`"${id}" is not the id of a worktree`);
  const folder = join(worktreesFolder(journal), id);
  return {
    folder,
    /** The files that the run works on, with a repository of its own. */
    files: join(folder, "files"),
    /** The repository by which we look at them, which no run can write. */
    git: join(folder, "git"),
    patch: join(folder, "changes.patch"),
    record: join(folder, "worktree.json"),
    /** The patch as it is told: relative to the journal. */
    patchInJournal: `worktrees/${id}/changes.patch`,
  };
}

/** Null: there is none, or it was never finished. */
export function readWorktree(journal: string, id: string): WorktreeRecord | null {
  try {
    const text = readFileSync(worktreePaths(journal, id).record, "utf8");
    return WorktreeRecord.safeParse(parseOwnJson(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Whether a worktree is there, and wasn't dropped. */
export const hasWorktree = (journal: string, id: string) =>
  worktreeId.test(id) && (readWorktree(journal, id)?.state ?? "dropped") !== "dropped";

export async function keepWorktree(journal: string, record: WorktreeRecord): Promise<void> {
  const path = worktreePaths(journal, record.id).record;
  await replaceFile(path, `${JSON.stringify(WorktreeRecord.parse(record), null, 2)}\n`);
}

/** Lists the worktrees in which something was changed, the oldest first. */
export function listChanges(journal: string): WorktreeRecord[] {
  if (!existsSync(worktreesFolder(journal))) return [];
  return readdirSync(worktreesFolder(journal))
    .filter((name) => worktreeId.test(name))
    .flatMap((name) => readWorktree(journal, name) ?? [])
    .filter(({ state }) => state !== "none")
    .toSorted((a, b) => a.updated - b.updated);
}

/** One of us at a time makes, reads, applies or drops a worktree; a few locks for all, since a file of each would stay. @throws Error when somebody else takes too long */
export async function lockWorktree(journal: string, id: string): Promise<Disposable> {
  if (!worktreeId.test(id)) throw new Error(`"${id}" is not the id of a worktree`);
  mkdirSync(runtime(journal, "worktrees"), { recursive: true, mode: 0o700 });
  const lock = await awaitFileLock(runtime(journal, "worktrees", `${id.slice(-1)}.lock`), lockMs);
  if (!lock) throw new Error(`somebody else is at work on the worktree ${id}: try again`);
  return lock;
}

const lockMs = 120_000;
