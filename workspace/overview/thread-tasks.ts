/** The tasks of a thread and its forks: what agents answer there, and what came of it. */
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Actor } from "../people/access.ts";
import type { Page, PageOf } from "../records/page.ts";
import type { TaskRow } from "../records/thread-row.ts";
import { taskFrom } from "../tasks/task-rows.ts";
import { requireThread } from "../threads/threads.ts";

/** Newest first. @throws WorkspaceError `not_found` */
export async function listThreadTasks(
  { database }: WorkspaceStore,
  threadId: string,
  actor: Actor,
  { limit, cursor }: Page,
): Promise<PageOf<TaskRow>> {
  await requireThread(database, threadId, actor);
  let query = database
    .selectFrom("tasks")
    .selectAll()
    .where("thread_id", "=", threadId)
    .orderBy("id", "desc")
    .limit(limit + 1);
  if (cursor !== null) query = query.where("id", "<", cursor);
  const rows = await query.execute();
  const items = rows.slice(0, limit).map((row) => {
    // What was asked may be a megabyte each.
    const { input: _, ...task } = taskFrom(row);
    return task;
  });
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
