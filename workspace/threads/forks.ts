/** Forks: a side question beside a thread. `workspace/forks` brings its conclusion back. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { ForkTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import { timeOf } from "../records/fields.ts";
import type { LiveEvents } from "../records/events.ts";
import type { Page, PageOf } from "../records/page.ts";
import type { Fork } from "../records/thread.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { requireFork } from "./places.ts";
import { requireThread } from "./threads.ts";

export type NewFork = { messageId: string; description: string };

/** Begins one at a message of the thread itself. @throws WorkspaceError */
export async function createFork(
  store: WorkspaceStore,
  threadId: string,
  { messageId, description }: NewFork,
  actor: Actor,
): Promise<Fork> {
  return store.changes.make(actor.workspaceId, async (change) => {
    await requireThread(change.tables, threadId, actor);
    const message = await change.tables
      .selectFrom("messages")
      .select(["thread_id", "fork_id"])
      .where("id", "=", messageId)
      .executeTakeFirst();
    if (message?.thread_id !== threadId)
      throw new WorkspaceError("not_found", "there is no such message in this thread");
    if (message.fork_id !== null)
      throw new WorkspaceError("conflict", "a fork can't begin within a fork", "begin it at a message of the thread");
    const row: ForkTable = {
      id: newId(),
      workspace_id: actor.workspaceId,
      thread_id: threadId,
      message_id: messageId,
      description,
      status: "open",
      draft: null,
      resolution_id: null,
      created_by: actor.userId,
      created_at: change.now,
      updated_at: change.now,
    };
    await change.tables.insertInto("forks").values(row).execute();
    await change.tell("fork.created", { fork: forkFrom(row) });
    return forkFrom(row);
  });
}

/** @throws WorkspaceError `not_found` */
export async function readFork({ database }: WorkspaceStore, id: string, actor: Actor): Promise<Fork> {
  return forkFrom(await requireFork(database, id, actor));
}

/** Lists the forks of a thread, newest first. */
export async function listForks(
  { database }: WorkspaceStore,
  threadId: string,
  actor: Actor,
  { limit, cursor }: Page,
): Promise<PageOf<Fork>> {
  await requireThread(database, threadId, actor);
  let query = database
    .selectFrom("forks")
    .selectAll()
    .where("thread_id", "=", threadId)
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (cursor !== null) query = query.where("id", "<", cursor);
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  return { items: items.map(forkFrom), next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** Changes a fork, and tells of it. */
export async function setFork<Name extends "fork.resolved" | "fork.draft" | "fork.status_changed">(
  { tables, now, tell }: WorkspaceChange,
  row: ForkTable,
  set: Partial<Pick<ForkTable, "status" | "draft" | "resolution_id">>,
  event: Name,
  data: (fork: Fork) => LiveEvents[Name],
): Promise<Fork> {
  await tables
    .updateTable("forks")
    .set({ ...set, updated_at: now })
    .where("id", "=", row.id)
    .execute();
  const fork = forkFrom({ ...row, ...set, updated_at: now });
  await tell(event, data(fork));
  return fork;
}

function forkFrom(row: ForkTable): Fork {
  const { id, thread_id, message_id, description, status, draft, resolution_id, created_by } = row;
  const times = { created_at: timeOf(row.created_at), updated_at: timeOf(row.updated_at) };
  return { id, thread_id, message_id, description, status, draft, resolution_id, created_by, ...times };
}
