/** A task ends: in one change with what people read of it. One that was cancelled meanwhile stays cancelled. */
import { isCostKnown, type Spent } from "../../../protocol/runs/spent.ts";
import type { WorkspaceChange } from "../../database/changes/change.ts";
import { storableText } from "../../database/text/storable-text.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import type { AgentConfig } from "../../records/agent.ts";
import type { Task } from "../../records/task.ts";
import type { Message } from "../../records/thread.ts";
import { setTask } from "../../tasks/task-rows.ts";
import { addMessage, setMessage } from "../../threads/messages.ts";
import { taskKinds } from "./task-kinds.ts";

/** The usage of a run, and its model. */
export type Used = { spent: Spent; model: string | null };

/** Adds what a run has used to what the task's runs before it have. */
export function withUsed(task: TaskTable, { spent, model }: Used): Pick<TaskTable, "token_usage_json" | "cost_usd"> {
  const before = task.token_usage_json === null ? null : (JSON.parse(task.token_usage_json) as Task["token_usage"]);
  const token_usage: Task["token_usage"] = {
    input_tokens: (before?.input_tokens ?? 0) + spent.input_tokens,
    output_tokens: (before?.output_tokens ?? 0) + spent.output_tokens,
    model: model ?? before?.model ?? null,
  };
  const cost = isCostKnown(spent) ? spent.cost_usd : null;
  const isUnknown = cost === null || (before !== null && task.cost_usd === null);
  return {
    token_usage_json: JSON.stringify(token_usage),
    cost_usd: isUnknown ? null : (task.cost_usd ?? 0) + cost,
  };
}

const closed = { is_open: 0, request_json: null, waits_until: null } as const;

export type Answer = { text: string; isCutOff: boolean };

/** It is answered: the message is whole. */
export async function endCompleted(
  change: WorkspaceChange,
  task: TaskTable,
  config: AgentConfig,
  { text, isCutOff }: Answer,
): Promise<TaskTable> {
  const kind = taskKinds[task.task_type];
  const metadata: Message["metadata"] = isCutOff ? { isCutOff } : {};
  const output_message_id = kind.isMessage ? await writeAnswer(change, task, config, text, metadata) : null;
  const ended = await setTask(change, task, {
    ...closed,
    status: "completed",
    output_message_id,
    token_usage_json: task.token_usage_json,
    cost_usd: task.cost_usd,
    completed_at: change.now,
  });
  await kind.whenCompleted(change, ended, text);
  return ended;
}

/** `words`: for people. `why`: what happened, for whoever looks at the task. `isSaid`: people have read the words already. */
export type Failure = { words: string; why?: string; isSaid?: boolean | undefined };

/** It has failed. */
export async function endFailed(
  change: WorkspaceChange,
  task: TaskTable,
  { words, why = "", isSaid = false }: Failure,
): Promise<TaskTable> {
  const ended = await setTask(change, task, {
    ...closed,
    status: "failed",
    error: why === "" ? words : `${words} (${storableText(why)})`,
    token_usage_json: task.token_usage_json,
    cost_usd: task.cost_usd,
    completed_at: change.now,
  });
  const kind = taskKinds[task.task_type];
  if (!isSaid || !kind.isMessage) await kind.whenFailed(change, ended, words);
  return ended;
}

/** It was cancelled, by a member or by whoever ended its run, and nothing of it is at work any more. */
export async function endCancelled(change: WorkspaceChange, task: TaskTable): Promise<TaskTable> {
  const ended = await setTask(change, task, {
    ...closed,
    status: "cancelled",
    token_usage_json: task.token_usage_json,
    cost_usd: task.cost_usd,
    completed_at: task.completed_at ?? change.now,
  });
  await taskKinds[task.task_type].whenCancelled(change, ended);
  return ended;
}

/** Keeps the text of an answer that doesn't come to its end. */
export async function keepHalf(
  change: WorkspaceChange,
  task: TaskTable,
  config: AgentConfig,
  said: string,
): Promise<void> {
  if (task.output_message_id !== null) await writeAnswer(change, task, config, said, { isIncomplete: true });
}

async function writeAnswer(
  change: WorkspaceChange,
  task: TaskTable,
  config: AgentConfig,
  text: string,
  more: Message["metadata"],
): Promise<string> {
  const metadata = { agentConfigId: task.agent_id, taskId: task.id, ...more };
  if (task.output_message_id !== null) {
    await setMessage(change, task.output_message_id, { text, metadata });
    return task.output_message_id;
  }
  const { id } = await addAnswer(change, task, config, text, metadata);
  return id;
}

/** The message of the agent, empty while it grows. */
export function addAnswer(
  change: WorkspaceChange,
  task: TaskTable,
  { display_name }: AgentConfig,
  text: string,
  metadata: Message["metadata"] = { agentConfigId: task.agent_id, taskId: task.id },
) {
  return addMessage(change, task.workspace_id, {
    threadId: task.thread_id,
    forkId: task.fork_id,
    parent_id: task.trigger_message_id,
    author_type: "agent",
    author_id: task.agent_id,
    author_name: display_name,
    text,
    parts: [],
    metadata,
  });
}
