/**
 * Makes the worktree of a run: the files of the user's commit, with a repository of the run's own beside the user's. It
 * finds the user's objects and can't write them, so a run commits as it likes, and the user's repository stays as it is.
 */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  keepWorktree,
  lockWorktree,
  readWorktree,
  worktreePaths,
  type WorktreeRecord,
} from "../../journal/worktrees/worktree-record.ts";
import { runState } from "../../journal/runs/run-files.ts";
import { git, GitError } from "../../proc/git/safe-git.ts";
import { ConfigError } from "../model/config-error.ts";
import { findRepository, type Repository } from "./find-repository.ts";

export type Wanted = {
  /** The id of the run that begins a worktree, or of the long-lived agent. */
  id: string;
  agentId: string;
  /** The user's folder: a real path. */
  folder: string;
  /** The settings' folders. */
  folders: readonly string[];
};

/**
 * The folder of files of a worktree, made where it is missing: one that was made goes on as it is.
 * @throws ConfigError where there can be none
 */
export async function makeWorktree(journalPath: string, wanted: Wanted): Promise<string> {
  const journal = realpathSync(journalPath); // what stands in files and mounts must lead to itself
  using _lock = await lockWorktree(journal, wanted.id);
  const paths = worktreePaths(journal, wanted.id);
  try {
    const known = readWorktree(journal, wanted.id);
    if (known === null || known.state === "dropped") return await makeNew(journal, wanted);
    if (known.folder !== wanted.folder) {
      if (known.state === "open" || known.state === "conflict")
        throw new ConfigError(
          `worktree: ${known.branch} has changes for ${known.folder}: cortex changes apply ${known.id}, or drop, first`,
        );
      return await makeNew(journal, wanted);
    }
    if (!existsSync(join(paths.files, ".git"))) await checkOut(journal, known);
    const others = known.at_work.filter((run) => run !== wanted.agentId && runState(journal, run) === "active");
    await keepWorktree(journal, { ...known, agent_id: wanted.agentId, at_work: [...others, wanted.agentId] });
    return paths.files;
  } catch (error) {
    if (error instanceof GitError) throw new ConfigError(`worktree of ${wanted.folder}: ${error.message}`);
    throw error;
  }
}

async function makeNew(journal: string, { id, agentId, folder, folders }: Wanted): Promise<string> {
  const paths = worktreePaths(journal, id);
  const repository = await findRepository(folder, folders);
  rmSync(paths.folder, { recursive: true, force: true }); // of one that was never finished, or was dropped
  mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
  await git({ folder: paths.folder }, ["init", "-q", "--bare", "--template=", ...formatOf(repository), paths.git]);
  appendFileSync(join(paths.git, "config"), "[core]\n\tbare = false\n");
  furnish(paths.git, repository.objects);
  if (repository.excluded !== "") writeFileSync(join(paths.git, "info/exclude"), repository.excluded);
  if (repository.shallow !== "") writeFileSync(join(paths.git, "shallow"), repository.shallow);
  const record: WorktreeRecord = {
    id,
    agent_id: agentId,
    at_work: [agentId],
    folder,
    git_dir: repository.gitDir,
    objects: repository.objects,
    branch: `cortex/${id}`,
    origin: repository.head,
    base: repository.head,
    is_published: false,
    state: "none",
    files: [],
    left_out: [],
    updated: Date.now(),
  };
  await checkOut(journal, record);
  await keepWorktree(journal, record); // last: with it the worktree is there
  return paths.files;
}

const formatOf = ({ format }: Repository) => (format === "sha1" ? [] : [`--object-format=${format}`]);

/** Puts the files of its base there, and the run's own repository at that commit. */
async function checkOut(journal: string, { id, base, branch, objects }: WorktreeRecord): Promise<void> {
  const { files, git: gitDir } = worktreePaths(journal, id);
  rmSync(files, { recursive: true, force: true });
  rmSync(join(gitDir, "index"), { force: true });
  mkdirSync(files, { mode: 0o700 });
  await git({ gitDir, workTree: files }, ["read-tree", "-u", "--reset", base]);
  const format = base.length === 40 ? [] : ["--object-format=sha256"];
  await git({ folder: files }, ["init", "-q", "--template=", ...format, `--initial-branch=${branch}`, files]);
  const own = join(files, ".git");
  furnish(own, [join(gitDir, "objects"), ...objects]);
  for (const name of ["info/exclude", "shallow", "index"])
    if (existsSync(join(gitDir, name))) copyFileSync(join(gitDir, name), join(own, name));
  appendFileSync(join(own, "config"), "[user]\n\tname = Cortex\n\temail = cortex@localhost\n");
  await git({ gitDir: own }, ["update-ref", `refs/heads/${branch}`, base]);
}

/** Furnishes a repository of ours with what it needs to find the user's commits. */
function furnish(gitDir: string, objects: readonly string[]): void {
  for (const folder of ["info", "hooks", "objects/info"]) mkdirSync(join(gitDir, folder), { recursive: true });
  writeFileSync(join(gitDir, "objects/info/alternates"), objects.map((path) => `${path}\n`).join(""));
}

/**
 * Lists the paths that a run in a worktree has to read beside it, where they are hidden from others: the user's
 * commits.
 */
export function readableOf(journal: string, id: string): string[] {
  const record = readWorktree(journal, id);
  return record ? [realpathSync(join(worktreePaths(journal, id).git, "objects")), ...record.objects] : [];
}
