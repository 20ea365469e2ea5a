/** Threads of a workspace. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Database } from "../database/connection/open-database.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { ThreadTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import { timeOf } from "../records/fields.ts";
import type { Page, PageOf } from "../records/page.ts";
import type { Thread, ThreadUpdate } from "../records/thread.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

export async function createThread(store: WorkspaceStore, title: string, actor: Actor): Promise<Thread> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row: ThreadTable = {
      id: newId(),
      workspace_id: actor.workspaceId,
      title,
      is_brief: 0,
      summary_id: null,
      created_by: actor.userId,
      created_at: change.now,
      updated_at: change.now,
    };
    await change.tables.insertInto("threads").values(row).execute();
    return tellThread(change, row);
  });
}

/** Newest first. */
export async function listThreads(
  { database }: WorkspaceStore,
  actor: Actor,
  { limit, cursor }: Page,
): Promise<PageOf<Thread>> {
  let query = database
    .selectFrom("threads")
    .selectAll()
    .where("workspace_id", "=", actor.workspaceId)
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (cursor !== null) query = query.where("id", "<", cursor);
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  return { items: items.map(threadFrom), next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** @throws WorkspaceError `not_found` */
export async function readThread({ database }: WorkspaceStore, id: string, actor: Actor): Promise<Thread> {
  return threadFrom(await requireThread(database, id, actor));
}

/** @throws WorkspaceError */
export async function updateThread(
  store: WorkspaceStore,
  id: string,
  update: ThreadUpdate,
  actor: Actor,
): Promise<Thread> {
  const { title, is_brief } = update;
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireThread(change.tables, id, actor);
    const set = {
      ...(title === undefined ? {} : { title }),
      ...(is_brief === undefined ? {} : { is_brief: is_brief ? (1 as const) : (0 as const) }),
    };
    return setThread(change, row, set);
  });
}

/** @throws WorkspaceError `not_found` */
export async function requireThread(
  tables: Pick<Database, "selectFrom">,
  id: string,
  { workspaceId }: Pick<Actor, "workspaceId">,
): Promise<ThreadTable> {
  const row = await tables
    .selectFrom("threads")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such thread in this workspace");
  return row;
}

/** Changes a thread, and tells of it. */
export async function setThread(
  change: WorkspaceChange,
  row: ThreadTable,
  set: Partial<Pick<ThreadTable, "title" | "is_brief" | "summary_id">>,
): Promise<Thread> {
  const changed = { ...row, ...set, updated_at: change.now };
  await change.tables
    .updateTable("threads")
    .set({ ...set, updated_at: change.now })
    .where("id", "=", row.id)
    .execute();
  return tellThread(change, changed);
}

async function tellThread({ tell }: WorkspaceChange, row: ThreadTable): Promise<Thread> {
  const thread = threadFrom(row);
  await tell("thread.updated", { thread });
  return thread;
}

function threadFrom(row: ThreadTable): Thread {
  const { id, workspace_id, title, is_brief, summary_id, created_by, created_at, updated_at } = row;
  const times = { created_at: timeOf(created_at), updated_at: timeOf(updated_at) };
  return { id, workspace_id, title, is_brief: is_brief === 1, summary_id, created_by, ...times };
}
