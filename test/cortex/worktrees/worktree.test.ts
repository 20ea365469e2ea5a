/** Worktrees of a user's repository, and what is found to be changed in them. On real Git repositories. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeWorktree } from "../../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../../cortex/worktrees/take-changes.ts";
import { readWorktree } from "../../../journal/worktrees/worktree-record.ts";
import { makePrivateFolders } from "../../../journal/config/paths.ts";
import { gitIn, makeRepository, putFiles } from "../../support/git-repository.ts";

const id = "1736380800000";
let base: string;
let journal: string;
let repo: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "worktrees-")));
  journal = join(base, "journal");
  repo = join(base, "code", "app");
  makePrivateFolders(journal);
  makeRepository(repo, {
    "a.txt": "one\ntwo\n",
    "b/gone.txt": "x\n",
    "b/moved.txt": "a long text that is\nthe same in both\nplaces\n",
    "image.bin": Buffer.from([0, 1, 2, 0]),
    ".gitignore": "ignored\n",
  });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const made = (folder = repo, agentId = id) =>
  makeWorktree(journal, { id: agentId, agentId, folder, folders: [join(base, "code")] });
const taken = () => takeChanges(journal, id, id);

test("a worktree has the files of the commit and a branch of its own; the user's folder has neither", async () => {
  writeFileSync(join(repo, "a.txt"), "not committed\n");
  const files = await made();
  expect(files).toBe(join(journal, "worktrees", id, "files"));
  expect(readFileSync(join(files, "a.txt"), "utf8")).toBe("one\ntwo\n");
  expect(gitIn(files, "status", "--short", "--branch")).toBe(`## cortex/${id}\n`);
  expect(gitIn(files, "log", "--format=%s")).toBe("begin\n");
  expect(gitIn(repo, "branch")).toBe("* main\n");
  putFiles(files, { "a.txt": "kept\n" });
  expect(await made()).toBe(files); // the next attempt
  expect(readFileSync(join(files, "a.txt"), "utf8")).toBe("kept\n");
});

test("a worktree that is the same at the end leaves nothing, ignored files beside it or not", async () => {
  const files = await made();
  putFiles(files, { "ignored/out.txt": "x" });
  expect(await taken()).toBeNull();
  expect(existsSync(join(journal, "worktrees", id))).toBe(false);
  expect(gitIn(repo, "branch")).toBe("* main\n");
});

test("changes of every kind are found, committed or not, and the patch and the branch make the same of the commit", async () => {
  const files = await made();
  putFiles(files, { "a.txt": "one\n2\n", "new/file ä\n.txt": "n\n", "image.bin": Buffer.from([0, 9]), "c.txt": "c\n" });
  rmSync(join(files, "b/gone.txt"));
  renameSync(join(files, "b/moved.txt"), join(files, "new/moved.txt"));
  symlinkSync("/etc/passwd", join(files, "link"));
  gitIn(files, "add", "c.txt");
  gitIn(files, "commit", "-q", "-m", "by the agent");
  putFiles(files, { ignored: "forced\n" });
  gitIn(files, "add", "-f", "ignored");
  const event = await taken();
  expect(event).toMatchObject({
    event: "changes",
    branch: `cortex/${id}`,
    base: gitIn(repo, "rev-parse", "main").trim(),
    patch: `worktrees/${id}/changes.patch`,
    files: [
      { path: "a.txt", added: 1, removed: 1, status: "modified" },
      { path: "b/gone.txt", added: 0, removed: 1, status: "deleted" },
      { path: "c.txt", added: 1, removed: 0, status: "added" },
      { path: "ignored", added: 1, removed: 0, status: "added" },
      { path: "image.bin", added: 0, removed: 0, status: "modified", binary: true },
      { path: "link", added: 1, removed: 0, status: "added" },
      { path: "new/file ä\n.txt", added: 1, removed: 0, status: "added" },
      { path: "new/moved.txt", added: 0, removed: 0, status: "renamed", from: "b/moved.txt" },
    ],
  });
  expect(await taken()).toEqual(event); // after a crash
  const other = join(base, "other");
  gitIn(base, "clone", "-q", repo, other);
  gitIn(other, "apply", "--index", join(journal, String(event?.["patch"])));
  expect(gitIn(other, "write-tree")).toBe(gitIn(repo, "rev-parse", `cortex/${id}^{tree}`));
  expect(gitIn(repo, "status", "--short")).toBe("");
});

test("a branch that the user has moved stays, and changes that were taken back are none", async () => {
  const files = await made();
  putFiles(files, { "a.txt": "1\n" });
  await taken();
  gitIn(repo, "branch", "-f", `cortex/${id}`, "main");
  putFiles(files, { "a.txt": "2\n" });
  expect(await taken()).not.toBeNull();
  expect(gitIn(repo, "rev-parse", `cortex/${id}`)).toBe(gitIn(repo, "rev-parse", "main"));
  expect(readWorktree(journal, id)?.is_published).toBe(false);
  putFiles(files, { "a.txt": "one\ntwo\n" });
  expect(await taken()).toBeNull();
});

test("what git would run of the folder isn't run: hooks, filters, monitors, diff programs, inner repositories", async () => {
  const mark = join(base, "ran");
  const script = join(base, "hook.sh");
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >>${mark}\ncat\n`);
  chmodSync(script, 0o755);
  const hostile = (folder: string) => {
    for (const [name, value] of [
      ["core.fsmonitor", script],
      ["core.hooksPath", join(base, "hooks")],
      ["core.sshCommand", script],
      ["core.alternateRefsCommand", script],
      ["diff.external", script],
      ["diff.x.command", script],
      ["diff.x.textconv", script],
      ["filter.x.clean", script],
      ["filter.x.smudge", script],
      ["filter.x.process", script],
      ["core.pager", script],
    ] as const)
      gitIn(folder, "config", name, value);
    putFiles(folder, { ".gitattributes": "* filter=x diff=x\n" });
  };
  mkdirSync(join(base, "hooks"));
  for (const name of ["post-checkout", "post-index-change", "reference-transaction", "pre-commit", "post-commit"])
    symlinkSync(script, join(base, "hooks", name));
  putFiles(repo, { ".gitattributes": "* filter=x diff=x\n" });
  gitIn(repo, "add", "-A");
  gitIn(repo, "commit", "-q", "-m", "attributes");
  hostile(repo);
  const files = await made();
  expect(existsSync(mark)).toBe(false);
  hostile(files);
  const inner = join(files, "inner");
  makeRepository(inner, { "x.txt": "x\n" });
  hostile(inner);
  putFiles(inner, { "x.txt": "changed\n" });
  gitIn(files, "-c", "core.fsmonitor=false", "update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},inner`);
  rmSync(mark, { force: true });
  putFiles(files, { "a.txt": "changed\n" });
  const event = await taken();
  expect(event).toMatchObject({ files: [{ path: "a.txt" }], left_out: ["inner/"] });
  expect(readWorktree(journal, id)?.is_published).toBe(true);
  expect(existsSync(mark) ? readFileSync(mark, "utf8") : "").toBe("");
});

test("what isn't a file, a link in the place of a folder and a Git folder of its own lead nowhere", async () => {
  const files = await made();
  rmSync(join(files, "b"), { recursive: true });
  mkdirSync(join(base, "outside"));
  putFiles(join(base, "outside"), { "gone.txt": "secret\n", "moved.txt": "secret\n" });
  symlinkSync(join(base, "outside"), join(files, "b"));
  rmSync(join(files, "a.txt"));
  execFileSync("mkfifo", [join(files, "a.txt")]);
  rmSync(join(files, ".git"), { recursive: true });
  symlinkSync(join(repo, ".git"), join(files, ".git"));
  const event = await taken();
  expect(event?.["files"]).toEqual([
    { path: "a.txt", added: 0, removed: 2, status: "deleted" },
    { path: "b", added: 1, removed: 0, status: "added" },
    { path: "b/gone.txt", added: 0, removed: 1, status: "deleted" },
    { path: "b/moved.txt", added: 0, removed: 3, status: "deleted" },
  ]);
  expect(readFileSync(join(journal, "worktrees", id, "changes.patch"), "utf8")).not.toContain("secret");
});

test("a worktree with nothing but what no patch holds stays, and is told of", async () => {
  const files = await made();
  makeRepository(join(files, "inner"), { "x.txt": "x\n" });
  const event = await taken();
  expect(event).toMatchObject({ files: [], left_out: ["inner/"] });
  expect(event).not.toHaveProperty("patch");
  expect(existsSync(join(files, "inner/x.txt"))).toBe(true);
});

test("a worktree is refused in words where there can be none", async () => {
  const plain = join(base, "code", "plain");
  const empty = join(base, "code", "empty");
  const elsewhere = join(base, "code", "elsewhere");
  for (const folder of [plain, empty, elsewhere]) mkdirSync(folder);
  gitIn(empty, "init", "-q");
  makeRepository(join(base, "secret"), { "x.txt": "x\n" });
  writeFileSync(join(elsewhere, ".git"), `gitdir: ${join(base, "secret", ".git")}\n`);
  const linked = join(base, "code", "linked");
  makeRepository(linked, { "x.txt": "x\n" });
  writeFileSync(join(linked, ".git/objects/info/alternates"), `${join(base, "secret/.git/objects")}\n`);
  for (const [folder, why] of [
    [plain, /plain isn't in a Git repository/],
    [empty, /has no commit yet/],
    [join(repo, "b"), /is only a part of the repository .*app: name that/],
    [elsewhere, /outside of the settings' folders/],
    [linked, /keeps .*secret.* outside of the settings' folders/],
  ] as const)
    await expect(made(folder)).rejects.toMatchObject({ message: expect.stringMatching(why), reason: "config" });
  vi.stubEnv("PATH", "/nowhere");
  try {
    await expect(made()).rejects.toMatchObject({
      message: expect.stringContaining("git isn't installed"),
      reason: "config",
    });
  } finally {
    vi.unstubAllEnvs();
  }
});
