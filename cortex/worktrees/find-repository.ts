/** The user's repository of which a worktree is to be made: whether it may be, and where it keeps what. */
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { findGit, git, GitError } from "../../proc/git/safe-git.ts";
import { ConfigError } from "../model/config-error.ts";

export type Repository = {
  /** Its own folder, which the worktrees that it has share. */
  gitDir: string;
  /** The folders with its objects, its own first: real paths. */
  objects: string[];
  /** The commit that is checked out. */
  head: string;
  /** How it names objects: `sha1`. */
  format: string;
  /** The patterns that it ignores beside its `.gitignore`, and where its history ends if that isn't whole. */
  excluded: string;
  shallow: string;
};

/** Repositories whose objects stand in another one's, and so on. */
const mostAlternates = 16;
const mostText = 1024 * 1024;

/**
 * @param folder a real path
 * @param folders the settings' folders: nothing outside of these and of the folder is read
 * @throws ConfigError with what to do
 */
export async function findRepository(folder: string, folders: readonly string[]): Promise<Repository> {
  if (findGit() === null) throw refusal("git isn't installed (sudo apt-get install -y git)");
  const [top, commonDir, format = "sha1"] = await ask(
    folder,
    ["--path-format=absolute", "--show-toplevel", "--git-common-dir", "--show-object-format"],
    `${folder} isn't in a Git repository: name one, or ask without worktree`,
  );
  if (top === undefined || commonDir === undefined || !isAbsolute(commonDir))
    throw refusal(`${folder} has no files of a repository`);
  const root = realpathSync(top);
  if (root !== folder) throw refusal(`${folder} is only a part of the repository ${root}: name that`);
  const gitDir = realpathSync(commonDir);
  const noCommit = `the repository ${folder} has no commit yet: make one, or ask without worktree`;
  const [head = ""] = await ask(folder, ["--verify", "--end-of-options", "HEAD^{commit}"], noCommit);
  const objects = objectFolders(join(gitDir, "objects"));
  // What was put into the folder may name any place for it, and a run reads what stands there.
  const outside = [gitDir, ...objects].find((path) => ![folder, ...folders].some((root) => standsIn(root, path)));
  if (outside !== undefined) throw refusal(`its repository keeps ${outside} outside of the settings' folders`);
  const excluded = textOf(join(gitDir, "info", "exclude"));
  return { gitDir, objects, head, format, excluded, shallow: textOf(join(gitDir, "shallow")) };
}

const refusal = (why: string) => new ConfigError(`worktree: ${why}`);

async function ask(folder: string, args: string[], otherwise: string): Promise<string[]> {
  try {
    return (await git({ folder }, ["rev-parse", ...args])).toString().trim().split("\n");
  } catch (error) {
    if (error instanceof GitError) throw new ConfigError(`worktree: ${otherwise} (${error.message})`);
    throw error;
  }
}

/** A folder of objects, and those that it names in turn. */
function objectFolders(first: string): string[] {
  const found: string[] = [];
  for (const waiting = [first]; waiting.length > 0 && found.length < mostAlternates; ) {
    const next = waiting.shift() ?? "";
    if (!existsSync(next)) continue;
    const real = realpathSync(next);
    if (found.includes(real)) continue;
    found.push(real);
    const lines = textOf(join(real, "info", "alternates")).split("\n");
    waiting.push(...lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => resolve(real, line)));
  }
  return found;
}

/** In a folder, and in nothing of it that is hidden but what git itself calls so. */
function standsIn(root: string, path: string): boolean {
  const names = relative(root, path).split(sep);
  return names[0] !== ".." && !names.some((name) => name.startsWith(".") && name !== ".git");
}

function textOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isFile() && stats.size <= mostText ? readFileSync(path, "utf8") : "";
}
