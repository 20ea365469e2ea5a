/**
 * Takes the changes of a worktree into the user's folder, or drops them. Into its files, not its commits: what becomes of them
 * is the user's to say. All of them or none; cut off by a crash, the same again does the rest.
 */
import {
  chmodSync,
  copyFileSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { hasCode } from "../files/errors/errno.ts";
import { runState } from "../journal/runs/run-files.ts";
import {
  keepWorktree,
  lockWorktree,
  readWorktree,
  worktreePaths,
  type WorktreeRecord,
} from "../journal/worktrees/worktree-record.ts";
import { git, GitError } from "../proc/git/safe-git.ts";
import { bytesOf, entryStats, parentsOf, shownPath } from "./changed-files.ts";
import { compareFolder, type Conflict, type Step } from "./compare-folder.ts";
import { dropBranch } from "./publish-branch.ts";
import { removeTree } from "./remove-tree.ts";

/** A refusal in words: nothing was changed. */
export class ChangesError extends Error {
  override name = "ChangesError";
  readonly conflicts: Conflict[];

  constructor(message: string, conflicts: Conflict[] = []) {
    super(message);
    this.conflicts = conflicts;
  }
}

/** Takes them into the folder. @throws ChangesError */
export async function applyChanges(journal: string, id: string): Promise<WorktreeRecord> {
  try {
    return await applyNow(journal, id);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new ChangesError(
      `the changes of the run can't be read: was the repository moved or made anew? ${error.message}`,
    );
  }
}

async function applyNow(journal: string, id: string): Promise<WorktreeRecord> {
  using _lock = await lockWorktree(journal, id);
  const record = openRecord(journal, id);
  const { folder, commit, files } = record;
  if (commit === undefined)
    throw new ChangesError(
      `run ${id} changed only files that no patch can hold: see ${worktreePaths(journal, id).files}`,
    );
  checkFolder(folder);
  const paths = worktreePaths(journal, id);
  const { steps, conflicts } = await compareFolder(paths.git, record);
  if (conflicts.length > 0) await refuse(journal, record, conflicts);
  // Beside what they replace, so that a rename puts each there whole.
  const ready = join(folder, `.cortex-apply-${id}`);
  rmSync(ready, { recursive: true, force: true });
  try {
    await writeReady(paths.git, folder, commit, steps, ready);
    const moved = steps.filter(({ path, stats }) => !isSame(entryStats(folder, path), stats));
    if (moved.length > 0)
      await refuse(
        journal,
        record,
        moved.map(({ path }) => ({ path: shownPath(path), why: "it is being changed" })),
      );
    put(folder, steps, ready);
  } finally {
    rmSync(ready, { recursive: true, force: true });
  }
  const applied: WorktreeRecord = {
    ...(await dropBranch(record)),
    state: "applied",
    base: commit,
    updated: Date.now(),
  };
  await keepWorktree(journal, applied);
  // An agent works on in its own; a run's is made again if its conversation goes on.
  if (isOfRun(id)) removeTree(paths.files);
  return { ...applied, files };
}

/** Removes them, the branch included. @throws ChangesError */
export async function dropChanges(journal: string, id: string): Promise<WorktreeRecord> {
  using _lock = await lockWorktree(journal, id);
  const record = openRecord(journal, id);
  const { commit: _, ...rest } = await dropBranch(record);
  const dropped: WorktreeRecord = { ...rest, state: "dropped", files: [], left_out: [], updated: Date.now() };
  await keepWorktree(journal, dropped); // first: what is half removed counts for nothing
  const { files, git: gitDir, patch } = worktreePaths(journal, id);
  for (const path of [files, gitDir, patch]) removeTree(path);
  return dropped;
}

const isOfRun = (id: string) => /^\d{13}$/.test(id);

function openRecord(journal: string, id: string): WorktreeRecord {
  const record = readWorktree(journal, id);
  if (record === null || record.state === "none") throw new ChangesError(`run ${id} has changed nothing`);
  if (record.state === "applied") throw new ChangesError(`the changes of run ${id} were applied already`);
  if (record.state === "dropped") throw new ChangesError(`the changes of run ${id} were dropped`);
  const busy = [record.agent_id, ...record.at_work].find((run) => runState(journal, run) === "active");
  if (busy !== undefined)
    throw new ChangesError(`run ${busy} is still at work on them: wait for its end, or cancel it`);
  return record;
}

/** It may have been moved, and something else put there. */
function checkFolder(folder: string): void {
  try {
    if (realpathSync(folder) === folder && lstatSync(folder).isDirectory()) return;
  } catch {
    // said below
  }
  throw new ChangesError(`the folder ${folder} was moved or removed: put it back, then try again`);
}

async function refuse(journal: string, record: WorktreeRecord, conflicts: Conflict[]): Promise<never> {
  await keepWorktree(journal, { ...record, state: "conflict", updated: Date.now() });
  const first = conflicts.slice(0, 10).map(({ path, why }) => `${path} (${why})`);
  const more = conflicts.length > 10 ? ` and ${conflicts.length - 10} more` : "";
  throw new ChangesError(`nothing was applied to ${record.folder}: ${first.join(", ")}${more}`, conflicts);
}

/** Writes the files as they are to be, each with the mode and owner of what it replaces. */
async function writeReady(
  gitDir: string,
  folder: string,
  commit: string,
  steps: readonly Step[],
  ready: string,
): Promise<void> {
  const written = steps.filter(({ after }) => after !== null);
  mkdirSync(ready, { mode: 0o700 });
  const index = join(gitDir, "index.apply");
  const at = { gitDir, workTree: folder, index };
  try {
    await git(at, ["read-tree", commit]);
    const input = Buffer.from(written.map(({ path }) => `${path}\0`).join(""), "latin1");
    await git(at, ["checkout-index", "-z", "--stdin", "-f", `--prefix=${ready}/`], { input });
  } finally {
    rmSync(index, { force: true });
  }
  const { uid, gid } = lstatSync(folder);
  for (const { path, before, after, stats } of written) {
    const file = bytesOf(ready, path);
    if (isRoot()) lchownSync(file, stats?.uid ?? uid, stats?.gid ?? gid);
    if (stats?.isFile() && modeOf(before) === modeOf(after)) chmodSync(file, stats.mode & 0o777);
  }
}

const modeOf = (version: string | null) => version?.slice(0, 6);

function isSame(now: Stats | null, then: Stats | null): boolean {
  if (now === null || then === null) return now === then;
  return now.ino === then.ino && now.size === then.size && now.mtimeMs === then.mtimeMs && now.ctimeMs === then.ctimeMs;
}

/** First what goes: a file may become a folder, and a folder a file. */
function put(folder: string, steps: readonly Step[], ready: string): void {
  for (const { path, after } of steps)
    if (after === null) {
      rmSync(bytesOf(folder, path), { force: true });
      for (const parent of parentsOf(path).toReversed()) if (!removeEmpty(folder, parent)) break;
    }
  for (const { path, after } of steps)
    if (after !== null) {
      for (const parent of parentsOf(path)) makeFolder(folder, parent);
      removeEmpty(folder, path);
      replace(bytesOf(ready, path), bytesOf(folder, path));
    }
}

function removeEmpty(folder: string, path: string): boolean {
  try {
    rmdirSync(bytesOf(folder, path));
    return true;
  } catch {
    return false; // something else is in it
  }
}

/** Makes a folder, with the owner that the user's folder has. */
function makeFolder(folder: string, path: string): void {
  if (entryStats(folder, path) !== null) return;
  mkdirSync(bytesOf(folder, path));
  const { uid, gid } = lstatSync(folder);
  if (isRoot()) lchownSync(bytesOf(folder, path), uid, gid);
}

const isRoot = () => process.getuid?.() === 0;

function replace(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!hasCode(error, "EXDEV")) throw error;
    copyFileSync(from, to); // another disk stands in the folder
  }
}
