/**
 * The actions of members on tasks: read, cancel, ask again. They change rows alone; the code that answers hears of it.
 */
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Database } from "../database/connection/open-database.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import type { Task } from "../records/task.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { addTask, setTask, taskFrom } from "./task-rows.ts";

/** @throws WorkspaceError `not_found` */
export async function readTask({ database }: WorkspaceStore, id: string, actor: Actor): Promise<Task> {
  return taskFrom(await requireTask(database, id, actor));
}

/**
 * Cancels a task. Its run ends soon, and what was said of its answer stays. One that is cancelled stays so.
 * @throws WorkspaceError `not_found`, and `conflict` for one that has ended otherwise
 */
export async function cancelTask(store: WorkspaceStore, id: string, actor: Actor): Promise<Task> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireTask(change.tables, id, actor);
    if (row.status === "cancelled") return taskFrom(row);
    if (row.status === "completed" || row.status === "failed")
      throw new WorkspaceError("conflict", `the task has ${row.status} already`);
    return taskFrom(await setTask(change, row, { status: "cancelled", completed_at: change.now, waits_until: null }));
  });
}

/**
 * Asks again: a new task of the same agent for the same message, with the agent's version of now.
 * @throws WorkspaceError `not_found`, and `conflict` while it is under way or asked again, when the agent is not active or
 * removed, or its fork has ended
 */
export async function retryTask(store: WorkspaceStore, id: string, actor: Actor): Promise<Task> {
  return store.changes.make(actor.workspaceId, async (change) => {
    const row = await requireTask(change.tables, id, actor);
    if (row.status === "queued" || row.status === "running")
      throw new WorkspaceError("conflict", `the task is ${row.status}`, "cancel it first, or wait for its answer");
    if (row.task_type === "fork_resolution")
      throw new WorkspaceError("conflict", "a draft isn't asked for again by its task", "resolve the fork again");
    await requireNotEnded(change, row.fork_id);
    await requireNotAsked(change, row);
    const agent = await change.tables
      .selectFrom("agents")
      .select(["version", "is_active", "removed_at"])
      .where("id", "=", row.agent_id)
      .executeTakeFirst();
    if (agent && agent.removed_at !== null)
      throw new WorkspaceError("conflict", "the agent was removed", "ask another one");
    if (agent?.is_active !== 1)
      throw new WorkspaceError("conflict", "the agent is not active", "an admin of the workspace can set it active");
    const { workspace_id, thread_id, fork_id, trigger_message_id, agent_id, task_type } = row;
    const { prompt } = JSON.parse(row.input_json) as Task["input"];
    const again = { workspace_id, thread_id, fork_id, trigger_message_id, agent_id, task_type, prompt };
    return addTask(change, { ...again, agent_version: agent.version, after_task_id: await answerBefore(change, row) });
  });
}

/** In a fork that has ended nobody asks anything. @throws WorkspaceError `conflict` */
async function requireNotEnded({ tables }: WorkspaceChange, forkId: string | null): Promise<void> {
  if (forkId === null) return;
  const { status } = await tables
    .selectFrom("forks")
    .select("status")
    .where("id", "=", forkId)
    .executeTakeFirstOrThrow();
  if (status === "resolved" || status === "abandoned")
    throw new WorkspaceError("conflict", `the fork is ${status}`, "reopen it to go on in it");
}

/** Two who ask again at once get one answer. @throws WorkspaceError `conflict` */
async function requireNotAsked(
  { tables }: WorkspaceChange,
  { trigger_message_id, agent_id, thread_id, task_type }: TaskTable,
): Promise<void> {
  const other = await tables
    .selectFrom("tasks")
    .select("id")
    .where("thread_id", "=", thread_id)
    .where("trigger_message_id", "=", trigger_message_id)
    .where("agent_id", "=", agent_id)
    .where("task_type", "=", task_type)
    .where("status", "in", ["queued", "running"])
    .executeTakeFirst();
  if (other) throw new WorkspaceError("conflict", "it is asked again already", `wait for the task ${other.id}`);
}

/**
 * Finds the task on whose answer it began, if that was answered. Otherwise whoever asks again has seen that it wasn't.
 */
async function answerBefore({ tables }: WorkspaceChange, { after_task_id: id }: TaskTable): Promise<string | null> {
  if (id === null) return null;
  const before = await tables.selectFrom("tasks").select("status").where("id", "=", id).executeTakeFirst();
  return before?.status === "failed" || before?.status === "cancelled" ? null : id;
}

async function requireTask(
  tables: Pick<Database, "selectFrom">,
  id: string,
  { workspaceId }: Pick<Actor, "workspaceId">,
): Promise<TaskTable> {
  const row = await tables
    .selectFrom("tasks")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such task in this workspace");
  return row;
}
