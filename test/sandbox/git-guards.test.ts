/**
 * The guarded paths of the repositories in and around a folder. On real ones, with settings as git writes and reads
 * them.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gitGuards } from "../../sandbox/walls/git-guards.ts";
import { settingsIn } from "../../sandbox/walls/git-settings.ts";
import { gitIn, makeRepository } from "../support/git-repository.ts";

let base: string;
let repo: string;
const at = (...parts: string[]) => join(repo, ...parts);
const configure = (...args: string[]) => gitIn(repo, "config", ...args);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "git-guards-")));
  vi.stubEnv("HOME", join(base, "home"));
  mkdirSync(join(base, "home"));
  repo = join(base, "repo");
  makeRepository(repo, { "a.txt": "one\n", "tools/hooks/pre-commit": "#!/bin/sh\n", "tools/git.conf": "[core]\n" });
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

/** The guarded paths of a repository that has nothing else. */
const usual = () => [at(".git/hooks"), at(".git/config")];
const own = (folder = repo) => {
  const { readOnly, pinned } = gitGuards(folder);
  return { readOnly: readOnly.filter((path) => !usual().includes(path)), pinned };
};

test("a folder of hooks that the settings name is read-only, and the folders above it stay where they are", () => {
  expect(own()).toEqual({ readOnly: [], pinned: [at(".git")] });
  configure("core.hooksPath", "tools/hooks");
  expect(own()).toEqual({ readOnly: [at("tools/hooks")], pinned: [at(".git"), at("tools")] });
});

test("of husky's folder all is read-only, since its hooks run those beside it; a missing one is made", () => {
  configure("core.hooksPath", ".husky/_");
  expect(own().readOnly).toEqual([at(".husky")]);
  expect(existsSync(at(".husky"))).toBe(true);
  expect(gitIn(repo, "status", "--short")).toBe("");
});

test("what a user's own settings name, and what settings include, counts as well", () => {
  writeFileSync(join(base, "home/.gitconfig"), "[Core]\n\tHooksPath = tools/hooks # all of mine\n");
  configure("--add", "include.path", "../tools/git.conf");
  writeFileSync(at("tools/git.conf"), '[includeIf "gitdir:~/elsewhere/"]\n\tpath = more.conf\n');
  writeFileSync(at("tools/more.conf"), "[core] hooksPath = more\n");
  expect(own().readOnly.toSorted()).toEqual(
    [at("more"), at("tools/git.conf"), at("tools/hooks"), at("tools/more.conf")].toSorted(),
  );
});

test("a folder below the top of its repository is guarded by what that names in it", () => {
  configure("core.hooksPath", "tools/hooks");
  expect(own(at("tools"))).toEqual({ readOnly: [at("tools/hooks")], pinned: [] });
  mkdirSync(at("src"));
  expect(own(at("src"))).toEqual({ readOnly: [], pinned: [] });
});

test("a link is guarded where it leads, and hooks elsewhere or in the top itself are none of ours", () => {
  symlinkSync("tools/hooks", at("hooks"));
  configure("core.hooksPath", "hooks");
  expect(own().readOnly).toEqual([at("tools/hooks")]);
  for (const elsewhere of [".", "..", "../hooks", "/nowhere/hooks", "~/hooks"]) {
    configure("core.hooksPath", elsewhere);
    expect(own().readOnly).toEqual([]);
  }
  expect(existsSync(join(base, "hooks"))).toBe(false);
});

test("the folders of submodules and of other work trees stay as they are", () => {
  gitIn(repo, "worktree", "add", "-q", join(base, "other"));
  execFileSync("git", ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repo, "lib"], { cwd: repo });
  expect(own().readOnly.toSorted()).toEqual([at(".git/modules"), at(".git/worktrees"), at("lib/.git")]);
  // One of the others has its settings in the repository.
  configure("core.hooksPath", "tools/hooks");
  expect(own(join(base, "other")).readOnly).toEqual([join(base, "other/.git"), join(base, "other/tools/hooks")]);
});

test("a pipe in the place of settings holds up nobody", () => {
  rmSync(at(".git/config"));
  execFileSync("mkfifo", [at(".git/config")]);
  expect(own().readOnly).toEqual([]);
});

test.each([
  ["[core]\n\thooksPath = a b ; note", "a b"],
  ['[CORE]hookspath="a;b" # note', "a;b"],
  ["[core]\n; hooksPath = x\nhooksPath = a\\\nb", "ab"],
  ['[core]\nhooksPath = "a\\"b\\\\c" ', 'a"b\\c'],
])("settings are read as git reads them: %j", (text, value) => {
  const file = join(base, "settings");
  writeFileSync(file, text);
  expect(execFileSync("git", ["config", "-f", file, "core.hooksPath"], { encoding: "utf8" })).toBe(`${value}\n`);
  expect(settingsIn(text)).toEqual([{ section: "core", key: "hookspath", value }]);
});
