/** Which of the open tasks of a workspace are looked at next: in order, but a full thread holds up no other. Pure. */
import type { TaskTable } from "../../database/tables/tables.ts";

export type OpenTask = Pick<TaskTable, "id" | "workspace_id" | "thread_id" | "status" | "after_task_id">;

export type AtOnce = { tasks_at_once: number; tasks_at_once_in_workspace: number };

/** Tasks at work, by their ids. One whose run waits for a person takes no place of its thread. */
export type TasksAtWork = ReadonlyMap<string, { thread_id: string; isForPerson: boolean }>;

/**
 * @param open all open tasks of a workspace, oldest first
 * @param held those that were looked at and wait for something: they are looked at again, and take no place before they begin
 */
export function nextTasks(
  open: readonly OpenTask[],
  atWork: TasksAtWork,
  held: ReadonlySet<string>,
  most: AtOnce,
): OpenTask[] {
  const isOpen = new Set(open.map(({ id }) => id));
  const counts = new Map<string, number>();
  const busy = [...atWork.values()].filter(({ isForPerson }) => !isForPerson);
  for (const { thread_id } of busy) counts.set(thread_id, (counts.get(thread_id) ?? 0) + 1);
  let total = busy.length;
  return open.filter(({ id, status, thread_id, after_task_id }) => {
    if (atWork.has(id)) return false;
    if (status !== "queued") return true;
    if (after_task_id !== null && isOpen.has(after_task_id)) return false;
    const count = counts.get(thread_id) ?? 0;
    if (count >= most.tasks_at_once || total >= most.tasks_at_once_in_workspace) return false;
    if (held.has(id)) return true;
    counts.set(thread_id, count + 1);
    total++;
    return true;
  });
}
