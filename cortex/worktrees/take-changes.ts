/** The changes of a run in its worktree: a commit on its branch, a patch, and the list of its files. Safe to repeat. */
import { closeSync, openSync, realpathSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../files/errors/error-message.ts";
import {
  keepWorktree,
  lockWorktree,
  readWorktree,
  worktreePaths,
  type WorktreeRecord,
} from "../../journal/worktrees/worktree-record.ts";
import { git } from "../../proc/git/safe-git.ts";
import type { ChangedFile } from "../../protocol/events/changed-file.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import { type GitPlace, shownPath, takeIntoIndex } from "../../changes/changed-files.ts";
import { dropBranch, publishBranch } from "../../changes/publish-branch.ts";
import { removeTree } from "../../changes/remove-tree.ts";

/** Paths of the event's list at most, so that the bus takes it. The record has all. */
const maxTold = 500;
const maxToldBytes = 128 * 1024;

/**
 * The event that tells of a worktree's changes; null where there are none. A worktree that was made for the run alone, and
 * has none, is removed.
 */
export async function takeChanges(journal: string, id: string, agentId: string): Promise<EventBody | null> {
  const paths = worktreePaths(journal, id);
  const before = readWorktree(journal, id);
  try {
    using _lock = await lockWorktree(journal, id);
    const record = readWorktree(journal, id);
    if (record === null || record.state === "dropped") return null;
    const at_work = record.at_work.filter((run) => run !== agentId);
    const next = await compare(journal, { ...record, agent_id: agentId, at_work });
    if (next.state === "none" && id === agentId) removeTree(paths.folder);
    else await keepWorktree(journal, next);
    return next.state === "open" ? told(next, paths.patchInJournal) : null;
  } catch (error) {
    if (before === null) return null;
    const { branch, base } = before;
    return { event: "changes", files: [], branch, base, error: `they can't be read: ${messageOf(error)}` };
  }
}

function told({ files, branch, base, commit, left_out }: WorktreeRecord, patch: string): EventBody {
  const shown: ChangedFile[] = [];
  for (let bytes = 0; shown.length < Math.min(files.length, maxTold); ) {
    const next = files[shown.length];
    bytes += next ? Buffer.byteLength(JSON.stringify(next)) : 0;
    if (!next || bytes > maxToldBytes) break;
    shown.push(next);
  }
  const more = files.length - shown.length;
  const left = left_out.slice(0, 20);
  return {
    event: "changes",
    files: shown,
    ...(commit !== undefined && { patch }),
    branch,
    base,
    ...(more > 0 && { more }),
    ...(left.length > 0 && { left_out: left }),
  };
}

async function compare(journal: string, record: WorktreeRecord): Promise<WorktreeRecord> {
  const paths = worktreePaths(journal, record.id);
  if (realpathSync(paths.files) !== join(realpathSync(journal), "worktrees", record.id, "files"))
    throw new Error("another folder was put in the place of its files");
  const at: GitPlace = { gitDir: paths.git, workTree: paths.files };
  const left_out = await takeIntoIndex(at);
  const line = async (...args: string[]) => (await git(at, args)).toString().trim();
  const tree = await line("write-tree");
  const updated = Date.now();
  if (tree === (await line("rev-parse", `${record.base}^{tree}`))) {
    if (record.state === "applied") return { ...record, left_out };
    rmSync(paths.patch, { force: true });
    const { commit: _, ...rest } = await dropBranch(record);
    // What no patch holds is still there to be fetched.
    return { ...rest, state: left_out.length > 0 ? "open" : "none", files: [], left_out, updated };
  }
  const message = `Changes of run ${record.agent_id}`;
  // Once more after a crash it is the same commit, so the branch is found as it was left.
  const author = { name: "Cortex", email: "cortex@localhost", seconds: Math.floor(Number(record.agent_id) / 1000) };
  const commit = (await git(at, ["commit-tree", "-p", record.base, "-m", message, tree], { author })).toString().trim();
  await writePatch(at, paths.patch, record.base, commit);
  const files = await filesBetween(at, record.base, commit);
  const open: WorktreeRecord = { ...record, commit, state: "open", files, left_out, updated };
  return { ...open, is_published: await publishBranch(at, open, record) };
}

async function writePatch(at: GitPlace, path: string, base: string, commit: string): Promise<void> {
  const temporary = `${path}.new`;
  const output = openSync(temporary, "w", 0o600);
  try {
    const how = ["-r", "-p", "-M", "--binary", "--full-index", "--no-ext-diff", "--no-textconv"];
    await git(at, ["diff-tree", ...how, base, commit], { output });
  } finally {
    closeSync(output);
  }
  renameSync(temporary, path);
}

async function filesBetween(at: GitPlace, base: string, commit: string): Promise<ChangedFile[]> {
  const between = async (how: string) => {
    const text = await git(at, ["diff-tree", "-r", "-z", "-M", how, base, commit]);
    return text.toString("latin1").split("\0");
  };
  const counts = countsIn(await between("--numstat"));
  return statusesIn(await between("--name-status")).map(({ letter, path, from }) => {
    const [added = 0, removed = 0] = counts.get(path) ?? [];
    const isBinary = Number.isNaN(added);
    return {
      path: shownPath(path),
      added: isBinary ? 0 : added,
      removed: isBinary ? 0 : removed,
      status: statuses[letter] ?? "modified",
      ...(from !== undefined && { from: shownPath(from) }),
      ...(isBinary && { binary: true }),
    };
  });
}

const statuses: Record<string, ChangedFile["status"]> = { A: "added", D: "deleted", R: "renamed" };

/** `added removed path`, or of a rename `added removed`, then both paths. A binary has `-`. */
function countsIn(fields: string[]): Map<string, [number, number]> {
  const counts = new Map<string, [number, number]>();
  for (let at = 0; at < fields.length; at++) {
    const [added, removed, path] = (fields[at] ?? "").split("\t");
    if (added === undefined || removed === undefined || path === undefined) continue;
    const name = path === "" ? (fields[(at += 2)] ?? "") : path;
    counts.set(name, [Number(added), Number(removed)]);
  }
  return counts;
}

function statusesIn(fields: string[]): { letter: string; path: string; from?: string }[] {
  const found: { letter: string; path: string; from?: string }[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const letter = (fields[at] ?? "").slice(0, 1);
    const path = fields[at + 1] ?? "";
    if (letter === "R") found.push({ letter, path: fields[++at + 1] ?? "", from: path });
    else found.push({ letter, path });
  }
  return found;
}
