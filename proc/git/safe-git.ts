/**
 * Git for ourselves, on repositories and folders that somebody else may have written: it runs nothing that they name. No hook,
 * no filter, no file system monitor, no outside diff, no transport, no settings of a user or of the system.
 */
import { spawn } from "node:child_process";
import { messageOf } from "../../files/errors/error-message.ts";
import { findProgram } from "../os/find-program.ts";

/** A repository as git is told of it: never looked for, so that none is found that stands in the way. */
export type GitPlace = {
  gitDir: string;
  /** Where its files are; absent: it has none, or they don't matter. */
  workTree?: string;
  index?: string;
  /** Where objects are written; absent: the repository's own. */
  objects?: string;
};

export type GitInput = {
  input?: string | Buffer;
  /** A descriptor that it reads. */
  source?: number;
  /** A descriptor that gets its output. */
  output?: number;
  /** For commits. */
  author?: Author;
};

/** The author of a commit, and its time in seconds: the same again is the same commit. */
type Author = { name: string; email: string; seconds: number };

/** The failure of a git command, with git's answer. */
export class GitError extends Error {
  override name = "GitError";
}

const mostBytes = 256 * 1024 * 1024;
const mostSeconds = 300;

/** Said on the command line: it wins over what a repository's own settings say. */
const overrides = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.alternateRefsCommand=true",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "core.autocrlf=false",
  "core.symlinks=true",
  "protocol.allow=never",
  "submodule.recurse=false",
  "diff.ignoreSubmodules=all",
  "gc.auto=0",
  "maintenance.auto=false",
  // Who owns it doesn't matter where nothing of it is run.
  "safe.directory=*",
].flatMap((setting) => ["-c", setting]);

/** Git's path, or null where it isn't installed. */
export const findGit = () => findProgram("git");

/** Runs a git command on a repository that is named, or at a folder. Its output in bytes. @throws GitError */
export async function git(at: GitPlace | { folder: string }, args: string[], given: GitInput = {}): Promise<Buffer> {
  const program = findGit();
  if (program === null) throw new GitError("git isn't installed");
  const where = "folder" in at ? { cwd: at.folder, env: {} } : { cwd: at.workTree ?? at.gitDir, env: placeOf(at) };
  const { author } = given;
  const env = { ...plain(), ...where.env, ...(author && authorOf(author)) };
  return await new Promise((resolve, reject) => {
    const stdio = [
      given.source ?? (given.input === undefined ? "ignore" : "pipe"),
      given.output ?? "pipe",
      "pipe",
    ] as const;
    const child = spawn(program, [...overrides, ...args], { cwd: where.cwd, env, stdio: [...stdio] });
    const fail = (text: string) => reject(new GitError(`git ${args[0]}: ${text}`));
    const late = setTimeout(() => child.kill("SIGKILL"), mostSeconds * 1000);
    const said: Buffer[] = [];
    let size = 0;
    let errors = "";
    child.stdout?.on("data", (bytes: Buffer) => {
      size += bytes.length;
      if (size > mostBytes) child.kill("SIGKILL");
      else said.push(bytes);
    });
    child.stderr?.on("data", (bytes: Buffer) => {
      errors = (errors + bytes.toString()).slice(-2000);
    });
    child.on("error", (error) => fail(messageOf(error)));
    child.on("close", (code) => {
      clearTimeout(late);
      if (code === 0) resolve(Buffer.concat(said));
      else fail(code === null ? `stopped: it took more than ${mostSeconds} s, or printed too much` : errors.trim());
    });
    child.stdin?.on("error", () => {}); // its exit code says more
    child.stdin?.end(given.input);
  });
}

/** Nothing of our own environment: it may hold keys, and variables of git's. */
function plain(): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    LC_ALL: "C",
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
  };
}

function placeOf({ gitDir, workTree, index, objects }: GitPlace): Record<string, string> {
  return {
    GIT_DIR: gitDir,
    ...(workTree !== undefined && { GIT_WORK_TREE: workTree }),
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
    ...(objects !== undefined && { GIT_OBJECT_DIRECTORY: objects }),
  };
}

function authorOf({ name, email, seconds }: Author): Record<string, string> {
  const date = `@${seconds} +0000`;
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  return { ...author, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date };
}
