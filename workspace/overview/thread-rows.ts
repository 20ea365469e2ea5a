/** The threads of a workspace as a list shows them: each with what was said last, and with its forks that haven't ended. */
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Actor } from "../people/access.ts";
import type { Page, PageOf } from "../records/page.ts";
import type { ThreadRow } from "../records/thread-row.ts";
import { lastBefore, messageFrom } from "../threads/messages.ts";
import { listThreads } from "../threads/threads.ts";

/** As much of a message as a line of a list may show. */
const shownCharacters = 200;

/** Newest thread first. */
export async function listThreadRows(store: WorkspaceStore, actor: Actor, page: Page): Promise<PageOf<ThreadRow>> {
  const { items, next } = await listThreads(store, actor, page);
  const [forks, ...last] = await Promise.all([
    openForks(
      store,
      items.map(({ id }) => id),
    ),
    ...items.map(({ id }) => lastMessage(store, id)),
  ]);
  return {
    items: items.map((thread, index) => ({ thread, last: last[index] ?? null, forks: forks.get(thread.id) ?? [] })),
    next,
  };
}

async function lastMessage({ database }: WorkspaceStore, threadId: string): Promise<ThreadRow["last"]> {
  const row = await lastBefore(database, { threadId, forkId: null }, Number.MAX_SAFE_INTEGER)
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  const { id, author_type, author_name, metadata, text, created_at } = messageFrom(row);
  return { id, author_type, author_name, metadata, text: text.slice(0, shownCharacters).toWellFormed(), created_at };
}

/** By their threads. */
async function openForks(
  { database }: WorkspaceStore,
  threadIds: readonly string[],
): Promise<Map<string, ThreadRow["forks"]>> {
  const found = new Map<string, ThreadRow["forks"]>();
  if (threadIds.length === 0) return found;
  const rows = await database
    .selectFrom("forks")
    .select(["id", "thread_id", "message_id", "description", "status"])
    .select((query) =>
      query
        .selectFrom("messages")
        .select(query.fn.countAll().as("count"))
        .whereRef("messages.thread_id", "=", "forks.thread_id")
        .whereRef("messages.fork_id", "=", "forks.id")
        .as("messages"),
    )
    .where("thread_id", "in", threadIds)
    .where("status", "in", ["open", "resolving"])
    .orderBy("id")
    .execute();
  for (const { thread_id, messages, ...fork } of rows)
    found.set(thread_id, [...(found.get(thread_id) ?? []), { ...fork, messages: Number(messages) }]);
  return found;
}
