/** Changes that are taken into the user's folder, whatever that folder has become meanwhile. */
import {
  cpSync,
  existsSync,
  lstatSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { applyChanges, dropChanges } from "../../changes/apply-changes.ts";
import { makeWorktree } from "../../cortex/worktrees/make-worktree.ts";
import { takeChanges } from "../../cortex/worktrees/take-changes.ts";
import { makePrivateFolders } from "../../journal/config/paths.ts";
import { readWorktree } from "../../journal/worktrees/worktree-record.ts";
import { gitIn, makeRepository, putFiles } from "../support/git-repository.ts";

const id = "1736380800000";
let base: string;
let journal: string;
let repo: string;
let files: string;

/** Made once, and copied for each test. */
const template = mkdtempSync(join(tmpdir(), "applied-to-"));
makeRepository(template, {
  "a.txt": "one\n",
  "b.txt": "two\n",
  "d/gone.txt": "x\n",
  "f.txt": "file\n",
  "win.txt": "l\r\n",
  ".gitattributes": "win.txt text eol=crlf\n",
});
afterAll(() => rmSync(template, { recursive: true }));

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "applied-")));
  [journal, repo] = [join(base, "journal"), join(base, "app")];
  makePrivateFolders(journal);
  cpSync(template, repo, { recursive: true });
  mkdirSync(join(base, "empty"));
  files = await worktree();
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const worktree = (agentId = id) => makeWorktree(journal, { id, agentId, folder: repo, folders: [base] });
const taken = (agentId = id) => takeChanges(journal, id, agentId);
const apply = () => applyChanges(journal, id);
const read = (path: string) => readFileSync(join(repo, path), "utf8");
/** All that the folder holds, to see that nothing was touched. */
const all = () =>
  readdirSync(repo, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.parentPath.includes(".git") && entry.isFile())
    .map((entry) => [join(entry.parentPath, entry.name), readFileSync(join(entry.parentPath, entry.name), "utf8")]);

test("files, links, modes, deletions, and a file that becomes a folder are taken; the user's own edits beside them stay", async () => {
  putFiles(files, { "a.txt": "1\n", "new/x.txt": "x\n", "win.txt": "m\r\n" });
  rmSync(join(files, "d"), { recursive: true });
  rmSync(join(files, "f.txt"));
  putFiles(files, { "f.txt/in.txt": "in\n", "run.sh": "#!/bin/sh\n" });
  chmodSync(join(files, "run.sh"), 0o755);
  symlinkSync("../outside", join(files, "link"));
  await taken();
  putFiles(repo, { "b.txt": "mine\n", "own.txt": "own\n" });
  chmodSync(join(repo, "a.txt"), 0o640);
  const { state } = await apply();
  expect(state).toBe("applied");
  expect(["a.txt", "b.txt", "own.txt", "new/x.txt", "f.txt/in.txt", "win.txt"].map(read)).toEqual([
    "1\n",
    "mine\n",
    "own\n",
    "x\n",
    "in\n",
    "m\r\n",
  ]);
  expect(existsSync(join(repo, "d"))).toBe(false);
  expect(readlinkSync(join(repo, "link"))).toBe("../outside");
  expect([lstatSync(join(repo, "run.sh")).mode & 0o111, lstatSync(join(repo, "a.txt")).mode & 0o777]).toEqual([
    0o111, 0o640,
  ]);
  expect(gitIn(repo, "log", "--format=%s", "--all")).toBe("begin\n");
  expect(readdirSync(repo).filter((name) => name.startsWith(".cortex"))).toEqual([]);
  expect(existsSync(files)).toBe(false);
});

test.each<[string, string, () => void]>([
  ["changed", "a.txt (it was changed meanwhile)", () => writeFileSync(join(repo, "a.txt"), "mine\n")],
  ["removed", "a.txt (it was removed meanwhile)", () => rmSync(join(repo, "a.txt"))],
  ["made", "new/x.txt (another file stands there by now)", () => putFiles(repo, { "new/x.txt": "mine\n" })],
  ["a file that is in the way", 'new/x.txt ("new" is not a folder there)', () => putFiles(repo, { new: "mine\n" })],
  [
    "changed and to be deleted",
    "d/gone.txt (it was changed meanwhile)",
    () => putFiles(repo, { "d/gone.txt": "mine\n" }),
  ],
  [
    "a link to elsewhere",
    'new/x.txt ("new" is not a folder there)',
    () => symlinkSync(join(base, "empty"), join(repo, "new")),
  ],
  [
    "a folder in the place of a file",
    "a.txt (a folder stands there)",
    () => {
      rmSync(join(repo, "a.txt"));
      putFiles(repo, { "a.txt/x": "mine\n" });
    },
  ],
])("one that was %s by the user keeps all from being applied, and is named", async (_, told, meanwhile) => {
  putFiles(files, { "a.txt": "1\n", "b.txt": "2\n", "new/x.txt": "x\n" });
  rmSync(join(files, "d/gone.txt"));
  await taken();
  meanwhile();
  const before = all();
  await expect(apply()).rejects.toThrow(`nothing was applied to ${repo}: ${told}`);
  expect(all()).toEqual(before);
  expect(readWorktree(journal, id)?.state).toBe("conflict");
});

test("what the user has committed or done alike meanwhile is no conflict, and a conflict that is settled applies", async () => {
  putFiles(files, { "a.txt": "1\n", "b.txt": "2\n" });
  await taken();
  putFiles(repo, { "a.txt": "1\n", "other.txt": "x\n", "b.txt": "mine\n" });
  gitIn(repo, "add", "-A");
  gitIn(repo, "commit", "-q", "-m", "mine");
  await expect(apply()).rejects.toThrow("b.txt (it was changed meanwhile)");
  putFiles(repo, { "b.txt": "two\n" });
  await apply();
  expect(["a.txt", "b.txt"].map(read)).toEqual(["1\n", "2\n"]);
});

test("an application that a crash has cut off is finished by the next", async () => {
  putFiles(files, { "a.txt": "1\n", "b.txt": "2\n" });
  await taken();
  putFiles(repo, { "a.txt": "1\n", [`.cortex-apply-${id}/b.txt`]: "half" });
  await apply();
  expect(read("b.txt")).toBe("2\n");
});

test("a conversation goes on from what was applied, and only what is new is applied then", async () => {
  putFiles(files, { "a.txt": "1\n" });
  await taken();
  await apply();
  const again = await worktree("1736380900000");
  expect(readFileSync(join(again, "a.txt"), "utf8")).toBe("1\n");
  expect(await taken("1736380900000")).toBeNull();
  expect(readdirSync(join(journal, "worktrees", id))).toContain("changes.patch");
  putFiles(again, { "a.txt": "2\n" });
  expect(await taken("1736380900000")).toMatchObject({ files: [{ path: "a.txt", added: 1, removed: 1 }] });
  await apply();
  expect(read("a.txt")).toBe("2\n");
});

test("what was applied or dropped isn't again, and dropped changes leave no branch and no files", async () => {
  putFiles(files, { "a.txt": "1\n" });
  await taken();
  expect(gitIn(repo, "branch")).toContain(`cortex/${id}`);
  await dropChanges(journal, id);
  expect(gitIn(repo, "branch")).toBe("* main\n");
  expect(readdirSync(join(journal, "worktrees", id))).toEqual(["worktree.json"]);
  await expect(dropChanges(journal, id)).rejects.toThrow("were dropped");
  await expect(apply()).rejects.toThrow("were dropped");
  putFiles(await worktree(), { "a.txt": "1\n" });
  await taken();
  await apply();
  await expect(apply()).rejects.toThrow("were applied already");
  await expect(dropChanges(journal, id)).rejects.toThrow("were applied already");
});

test("another run that is still at work in the same worktree is told, while one that came later has ended", async () => {
  const [first, second] = ["1736380800111", "1736380800222"];
  mkdirSync(join(journal, "runs/20250109"), { recursive: true });
  writeFileSync(join(journal, `runs/20250109/${first}_active.jsonl`), "");
  for (const run of [first, second]) await worktree(run);
  putFiles(files, { "a.txt": "1\n" });
  await taken(second);
  await expect(apply()).rejects.toThrow(`run ${first} is still at work`);
  await expect(dropChanges(journal, id)).rejects.toThrow(`run ${first} is still at work`);
  rmSync(join(journal, `runs/20250109/${first}_active.jsonl`));
  await apply();
  expect(read("a.txt")).toBe("1\n");
});

test("a folder that was moved, and a run that is still at work, are told", async () => {
  putFiles(files, { "a.txt": "1\n" });
  await taken();
  renameSync(repo, `${repo}-moved`);
  await expect(apply()).rejects.toThrow("was moved or removed");
  renameSync(`${repo}-moved`, repo);
  mkdirSync(join(journal, "runs/20250109"), { recursive: true });
  writeFileSync(join(journal, `runs/20250109/${id}_active.jsonl`), "");
  await expect(apply()).rejects.toThrow("is still at work");
  expect(read("a.txt")).toBe("one\n");
});
