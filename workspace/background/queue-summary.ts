/** A thread in which much was said since it was last summed up is summed up by a task: once, however often it is looked at. */
import { resolverOf } from "../agents/resolver.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import { WorkspaceSettings } from "../records/workspace-settings.ts";
import { addTask } from "../tasks/task-rows.ts";
import { summaryPrompt } from "./summary-prompt.ts";

/** More new messages than these are summed up. */
const usualNews = 20;

/** Reads the settings of a workspace that wants something done unasked; null where it wants nothing. */
export async function wantedOf(
  { database }: Pick<WorkspaceStore, "database">,
  workspaceId: string,
): Promise<WorkspaceSettings | null> {
  const row = await database
    .selectFrom("workspaces")
    .select("settings_json")
    .where("id", "=", workspaceId)
    .executeTakeFirst();
  const settings = row ? WorkspaceSettings.parse(JSON.parse(row.settings_json)) : null;
  return settings?.thread_summaries || settings?.fork_suggestions ? settings : null;
}

export async function queueSummary(
  store: WorkspaceStore,
  workspaceId: string,
  threadId: string,
  wanted: WorkspaceSettings,
): Promise<void> {
  // Most threads have nothing to be summed up: then there is nothing to be changed.
  if ((await newsOf(store.database, threadId)) === null) return;
  await store.changes.make(workspaceId, async (change) => {
    const newest = await newsOf(change.tables, threadId);
    const { agent } = await resolverOf(change.tables, workspaceId);
    if (newest === null || !agent) return;
    await addTask(change, {
      workspace_id: workspaceId,
      thread_id: threadId,
      fork_id: null,
      trigger_message_id: newest,
      agent_id: agent.id,
      agent_version: agent.version,
      task_type: "summary",
      prompt: summaryPrompt(wanted, await summaryBefore(change, threadId)),
    });
  });
}

/**
 * The newest of more than 20 messages that came since the thread was last looked through, by whatever came of that: a task that
 * fails isn't tried again with every message.
 */
async function newsOf(tables: Pick<WorkspaceChange["tables"], "selectFrom">, threadId: string): Promise<string | null> {
  const last = await tables
    .selectFrom("tasks")
    .innerJoin("messages", "messages.id", "tasks.trigger_message_id")
    .select(["messages.position", "tasks.is_open"])
    .where("tasks.thread_id", "=", threadId)
    .where("tasks.task_type", "=", "summary")
    .orderBy("tasks.id", "desc")
    .executeTakeFirst();
  if (last?.is_open === 1) return null;
  const news = await tables
    .selectFrom("messages")
    .select("id")
    .where("thread_id", "=", threadId)
    .where("fork_id", "is", null)
    .where("author_type", "!=", "system")
    // Its own summary, which was made behind the message that it goes up to.
    .where("id", "not in", (inner) =>
      inner.selectFrom("threads").select("summary_id").where("id", "=", threadId).where("summary_id", "is not", null),
    )
    .where("position", ">", last?.position ?? 0)
    .orderBy("fork_id", "desc")
    .orderBy("position", "desc")
    .limit(usualNews + 1)
    .execute();
  return news.length > usualNews ? (news[0]?.id ?? null) : null;
}

async function summaryBefore({ tables }: WorkspaceChange, threadId: string): Promise<string | null> {
  const row = await tables
    .selectFrom("threads")
    .innerJoin("messages", "messages.id", "threads.summary_id")
    .select("messages.text")
    .where("threads.id", "=", threadId)
    .executeTakeFirst();
  return row?.text ?? null;
}
