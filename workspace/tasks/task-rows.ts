/** Tasks between their rows and their records; every change of one is told of. */
import type { Updateable } from "kysely";
import type { WorkspaceChange } from "../database/changes/change.ts";
import { newId } from "../database/changes/store.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import { timeOf, timeOrNull } from "../records/fields.ts";
import type { Task } from "../records/task.ts";

export type NewTask = Pick<
  TaskTable,
  "workspace_id" | "thread_id" | "fork_id" | "trigger_message_id" | "agent_id" | "agent_version" | "task_type"
> & {
  /** The question, as it is shown. */
  prompt: string;
  /** The task on whose answer it begins. */
  after_task_id?: string | null;
};

/** Stores a new task, which is queued, and the event that tells of it. */
export async function addTask({ tables, now, tell }: WorkspaceChange, task: NewTask): Promise<Task> {
  const { prompt, after_task_id = null, ...fields } = task;
  const row: TaskTable = {
    ...fields,
    id: newId(),
    status: "queued",
    after_task_id,
    input_json: JSON.stringify({ prompt, contextMessageIds: [] } satisfies Task["input"]),
    output_message_id: null,
    run_id: null,
    token_usage_json: null,
    cost_usd: null,
    error: null,
    created_at: now,
    started_at: null,
    completed_at: null,
    is_open: 1,
    context_size: "whole",
    request_json: null,
    waits_until: null,
    allowance_usd: null,
  };
  await tables.insertInto("tasks").values(row).execute();
  const made = taskFrom(row);
  await tell("task.status_changed", { task: made });
  return made;
}

/** Changes a task, and tells of it. */
export async function setTask(
  { tables, tell }: WorkspaceChange,
  row: TaskTable,
  set: Updateable<TaskTable>,
): Promise<TaskTable> {
  await tables.updateTable("tasks").set(set).where("id", "=", row.id).execute();
  const changed = { ...row, ...set } as TaskTable;
  await tell("task.status_changed", { task: taskFrom(changed) });
  return changed;
}

const isUnderWay = ({ status }: Pick<TaskTable, "status">) => status === "queued" || status === "running";

export function taskFrom(row: TaskTable): Task {
  const { id, status, agent_id, agent_version, thread_id, fork_id, trigger_message_id, task_type } = row;
  const { after_task_id, output_message_id, run_id, token_usage_json, cost_usd, error } = row;
  return {
    id,
    status,
    agent_id,
    agent_version,
    thread_id,
    fork_id,
    trigger_message_id,
    task_type,
    after_task_id,
    input: JSON.parse(row.input_json) as Task["input"],
    // The message that grows is its output when it has ended.
    output: output_message_id === null || isUnderWay(row) ? null : { messageId: output_message_id },
    run_id,
    token_usage: token_usage_json === null ? null : (JSON.parse(token_usage_json) as Task["token_usage"]),
    cost_usd,
    error,
    waits_until: timeOrNull(row.waits_until),
    created_at: timeOf(row.created_at),
    completed_at: timeOrNull(row.completed_at),
  };
}
