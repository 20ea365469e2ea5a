/** The tasks of a fork that haven't ended: ended with it. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import { setTask } from "../tasks/task-rows.ts";

/** Cancels them: nobody would read what comes of them. Whoever runs them hears of it by the events. */
export async function cancelForkTasks(
  change: WorkspaceChange,
  forkId: string,
  types: readonly TaskTable["task_type"][],
): Promise<void> {
  const rows = await change.tables
    .selectFrom("tasks")
    .selectAll()
    .where("fork_id", "=", forkId)
    .where("status", "in", ["queued", "running"])
    .where("task_type", "in", types)
    .orderBy("id")
    .execute();
  for (const row of rows)
    await setTask(change, row, { status: "cancelled", completed_at: change.now, waits_until: null });
}
