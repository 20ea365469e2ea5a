/** Operations on tasks: what agents answer. */
import { Task } from "../../../../workspace/records/task.ts";
import { cancelTask, readTask, retryTask } from "../../../../workspace/tasks/tasks.ts";
import { TaskRow } from "../../../../workspace/records/thread-row.ts";
import { listThreadTasks } from "../../../../workspace/overview/thread-tasks.ts";
import { listOf, operation, pageQuery } from "../../table/operation.ts";

const task = { subject: "tasks", role: "member", answer: Task } as const;

export const tasks = [
  operation({
    id: "task.list",
    method: "GET",
    path: "/threads/{id}/tasks",
    summary: "The tasks of a thread and its forks, newest first",
    subject: "threads",
    role: "member",
    query: pageQuery,
    answer: listOf(TaskRow),
    handle: ({ store, actor }, { id, query }) => listThreadTasks(store, id, actor, query),
  }),
  operation({
    ...task,
    id: "task.get",
    method: "GET",
    path: "/tasks/{id}",
    summary: "A task: what an agent saw, and what came of it",
    handle: ({ store, actor }, { id }) => readTask(store, id, actor),
  }),
  operation({
    ...task,
    id: "task.cancel",
    method: "POST",
    path: "/tasks/{id}/cancel",
    summary: "Cancel a task that is queued or running",
    handle: ({ store, actor }, { id }) => cancelTask(store, id, actor),
  }),
  operation({
    ...task,
    id: "task.retry",
    method: "POST",
    path: "/tasks/{id}/retry",
    summary: "Ask again: a new task of the same agent for the same message",
    status: 201,
    handle: ({ store, actor }, { id }) => retryTask(store, id, actor),
  }),
];
