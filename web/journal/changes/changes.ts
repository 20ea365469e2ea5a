/** Changes of worktrees: shown, applied, dropped, and commented on, which goes back to who made them. */
import { randomUUID } from "node:crypto";
import { closeSync, constants, openSync, readSync } from "node:fs";
import { applyChanges, dropChanges } from "../../../changes/apply-changes.ts";
import { commentPrompt, type ChangeComment } from "../../../changes/comment-prompt.ts";
import {
  listChanges,
  readWorktree,
  worktreePaths,
  type WorktreeRecord,
} from "../../../journal/worktrees/worktree-record.ts";
import { AgentId } from "../../../protocol/names/names.ts";
import { timeOf } from "../../../workspace/records/fields.ts";
import { WorkspaceError } from "../../../workspace/records/workspace-error.ts";
import type { Machine } from "../../machine/machine.ts";
import { startRun } from "../access/start-run.ts";
import { tellCompanion } from "../access/tell-companion.ts";
import type { ChangeRow } from "./change-records.ts";

type Journal = Pick<Machine, "journal">;

const longestPatch = 2 * 1024 * 1024;

/** The newest first. */
export function changeRows({ journal }: Journal, state: ChangeRow["state"] | undefined) {
  const rows = listChanges(journal).toReversed().map(rowOf);
  return { items: state === undefined ? rows : rows.filter((row) => row.state === state), next: null };
}

export function changeDiff({ journal }: Journal, id: string) {
  const record = recordOf(journal, id);
  const read = record.state === "dropped" ? null : patchOf(journal, id);
  return {
    change: rowOf(record),
    patch: read?.text ?? null,
    cut: read?.cut ?? false,
    file: read ? worktreePaths(journal, id).patchInJournal : null,
  };
}

export async function applyChange({ journal }: Journal, id: string) {
  recordOf(journal, id);
  return rowOf(await applyChanges(journal, id));
}

export async function dropChange({ journal }: Journal, id: string) {
  recordOf(journal, id);
  return rowOf(await dropChanges(journal, id));
}

/** A run goes on from where it ended, in the same worktree; a long-lived agent gets a message. */
export async function commentOnChange(machine: Machine, id: string, comment: ChangeComment) {
  const record = recordOf(machine.journal, id);
  if (comment.path !== undefined && !record.files.some(({ path }) => path === comment.path))
    throw new WorkspaceError("invalid", `path "${comment.path.slice(0, 200)}": none of these changes is in that file`);
  const prompt = commentPrompt(comment, patchOf(machine.journal, id)?.text ?? "");
  if (isOfRun(id)) return { run: await startRun(machine, { prompt, continue_from: record.agent_id }), companion: null };
  await tellCompanion(machine, id, { id: randomUUID(), text: prompt });
  return { run: null, companion: id };
}

const isOfRun = (id: string) => AgentId.safeParse(id).success;

function recordOf(journal: string, id: string): WorktreeRecord {
  const record = readWorktree(journal, id);
  if (!record || record.state === "none") throw new WorkspaceError("not_found", `there are no changes ${id}`);
  return record;
}

function rowOf({ id, agent_id, folder, branch, base, state, files, left_out, updated }: WorktreeRecord): ChangeRow {
  const companion = isOfRun(id) ? null : id;
  // What was found to have changed nothing isn't listed.
  const shown = state === "none" ? "open" : state;
  return {
    id,
    run: agent_id,
    companion,
    folder,
    branch,
    base,
    state: shown,
    files,
    left_out,
    updated_at: timeOf(updated),
  };
}

/** Read without following a link, and no further than is shown. */
function patchOf(journal: string, id: string): { text: string; cut: boolean } | null {
  let file: number;
  try {
    file = openSync(worktreePaths(journal, id).patch, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(longestPatch + 1);
    const length = readSync(file, bytes, 0, bytes.length, 0);
    const text = bytes.subarray(0, Math.min(length, longestPatch)).toString("utf8");
    return { text: text.toWellFormed(), cut: length > longestPatch };
  } finally {
    closeSync(file);
  }
}
