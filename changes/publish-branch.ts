/** The branch of a run in the user's repository: a commit to look at, to merge, or to pick from. Only what can't be done without is written there. */
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { WorktreeRecord } from "../journal/worktrees/worktree-record.ts";
import { git, GitError } from "../proc/git/safe-git.ts";

type Branch = Pick<WorktreeRecord, "git_dir" | "objects" | "branch" | "origin" | "commit" | "is_published">;

const refOf = ({ branch }: Branch) => `refs/heads/${branch}`;

/**
 * Whether the user's repository has the branch now. One that the user has moved stays.
 * @param ours the repository in which the commit is
 * @param before how the branch was left
 */
export async function publishBranch(ours: { gitDir: string }, record: Branch, before: Branch): Promise<boolean> {
  const { origin, commit, git_dir: gitDir, objects } = record;
  if (commit === undefined) return false;
  const pack = join(ours.gitDir, "branch.pack");
  try {
    await withFile(pack, "w", (output) =>
      git({ gitDir: ours.gitDir }, ["pack-objects", "--revs", "--stdout", "-q"], {
        input: `${commit}\n^${origin}\n`,
        output,
      }),
    );
    const theirs = { gitDir: ours.gitDir, objects: objects[0] ?? "" };
    await withFile(pack, "r", (source) => git(theirs, ["unpack-objects", "-q"], { source }));
    const old = before.is_published && before.commit !== undefined ? before.commit : "0".repeat(commit.length);
    await git({ gitDir }, ["update-ref", refOf(record), commit, old]);
    return true;
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    // After a crash between the two it stands there already.
    return (await readBranch(record)) === commit;
  } finally {
    rmSync(pack, { force: true });
  }
}

/** Removes the branch where it still is what we made of it. */
export async function dropBranch(record: WorktreeRecord): Promise<WorktreeRecord> {
  const { git_dir: gitDir, commit } = record;
  if (commit !== undefined && (await readBranch(record)) === commit)
    await git({ gitDir }, ["update-ref", "-d", refOf(record), commit]).catch(() => {});
  return { ...record, is_published: false };
}

async function readBranch(record: Branch): Promise<string | null> {
  try {
    return (await git({ gitDir: record.git_dir }, ["rev-parse", "--verify", "-q", refOf(record)])).toString().trim();
  } catch {
    return null; // it isn't there, or the repository isn't
  }
}

async function withFile<T>(path: string, flags: string, work: (file: number) => Promise<T>): Promise<T> {
  const file = openSync(path, flags, 0o600);
  try {
    return await work(file);
  } finally {
    closeSync(file);
  }
}
