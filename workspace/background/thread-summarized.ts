/** A thread was summed up: its summary stands at its top, the same message each time; a suggestion is said once. */
import { configOfVersion } from "../agents/versions.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { TaskTable } from "../database/tables/tables.ts";
import { WorkspaceSettings } from "../records/workspace-settings.ts";
import { addMessage, setMessage } from "../threads/messages.ts";
import { setThread } from "../threads/threads.ts";
import { readSummary } from "./summary-prompt.ts";

export async function threadSummarized(change: WorkspaceChange, task: TaskTable, text: string): Promise<void> {
  const { settings_json } = await change.tables
    .selectFrom("workspaces")
    .select("settings_json")
    .where("id", "=", task.workspace_id)
    .executeTakeFirstOrThrow();
  // As they are now: what was turned off meanwhile isn't said.
  const { thread_summaries, fork_suggestions } = WorkspaceSettings.parse(JSON.parse(settings_json));
  const { summary, suggestion } = readSummary(text);
  if (thread_summaries && summary !== "") await pin(change, task, summary);
  if (fork_suggestions && suggestion !== null) await suggest(change, task, suggestion);
}

async function pin(change: WorkspaceChange, task: TaskTable, text: string): Promise<void> {
  const { tables } = change;
  const thread = await tables.selectFrom("threads").selectAll().where("id", "=", task.thread_id).executeTakeFirst();
  if (!thread) return;
  const metadata = { kind: "summary", agentConfigId: task.agent_id, taskId: task.id } as const;
  if (thread.summary_id !== null) return setMessage(change, thread.summary_id, { text, metadata });
  const { display_name } = await configOfVersion(tables, task.agent_id, task.agent_version);
  const { id } = await addMessage(change, task.workspace_id, {
    threadId: task.thread_id,
    forkId: null,
    parent_id: null,
    author_type: "agent",
    author_id: task.agent_id,
    author_name: display_name,
    text,
    parts: [],
    metadata,
  });
  await setThread(change, thread, { summary_id: id });
}

async function suggest(change: WorkspaceChange, task: TaskTable, subject: string): Promise<void> {
  const text = `Two subjects run side by side here. Consider a fork about ${JSON.stringify(subject)}.`;
  const said = await change.tables
    .selectFrom("messages")
    .select("id")
    .where("thread_id", "=", task.thread_id)
    .where("author_type", "=", "system")
    .where("text", "=", text)
    .executeTakeFirst();
  if (said) return;
  await addMessage(change, task.workspace_id, {
    threadId: task.thread_id,
    forkId: null,
    parent_id: task.trigger_message_id,
    author_type: "system",
    author_id: null,
    author_name: "System",
    text,
    parts: [],
    metadata: { kind: "suggestion", taskId: task.id, forkDescription: subject },
  });
}
