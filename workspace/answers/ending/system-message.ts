/** The messages of the workspace itself about a task, where people read them. */
import type { WorkspaceChange } from "../../database/changes/change.ts";
import type { TaskTable } from "../../database/tables/tables.ts";
import { addMessage } from "../../threads/messages.ts";

export const sayFailure = (change: WorkspaceChange, task: TaskTable, words: string) =>
  sayOfTask(change, task, "error", words);

/** Says something beside the message that asked. */
export async function sayOfTask(
  change: WorkspaceChange,
  { id, workspace_id, thread_id, fork_id, trigger_message_id, agent_id }: TaskTable,
  kind: "error" | "limit",
  text: string,
): Promise<void> {
  await addMessage(change, workspace_id, {
    threadId: thread_id,
    forkId: fork_id,
    parent_id: trigger_message_id,
    author_type: "system",
    author_id: null,
    author_name: "System",
    text,
    parts: [],
    metadata: { kind, taskId: id, agentConfigId: agent_id },
  });
}
