/** Messages: stored with the event that tells of them and the tasks that they begin, or not at all. */
import type { FilePart } from "../../protocol/files/attachment.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Database } from "../database/connection/open-database.ts";
import { addWords } from "../database/text/message-words.ts";
import { storableText } from "../database/text/storable-text.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { MessageTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import { timeOf, timeOrNull } from "../records/fields.ts";
import type { Page, PageOf } from "../records/page.ts";
import type { Task } from "../records/task.ts";
import type { Message } from "../records/thread.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { addAttachments } from "./attachments.ts";
import { addressedMembers } from "../mentions/addressed-members.ts";
import { queueAnswers } from "../mentions/queue-answers.ts";
import { type ThreadPlace, requirePlace } from "./places.ts";

export type MessageToSend = { text: string; parent?: string | undefined; parts?: FilePart[] };

/** Stores a person's message and the tasks of the agents that it mentions. @throws WorkspaceError */
export async function sendMessage(
  store: WorkspaceStore,
  place: ThreadPlace,
  { text, parent, parts = [] }: MessageToSend,
  actor: Actor,
): Promise<{ message: Message; tasks: Task[] }> {
  return store.changes.make(actor.workspaceId, async (change) => {
    await requirePlace(change.tables, place, actor);
    if (parent !== undefined) await requireMessage(change.tables, parent, place);
    const message = await addMessage(change, actor.workspaceId, {
      ...place,
      parent_id: parent ?? null,
      author_type: "human",
      author_id: actor.userId,
      author_name: actor.name,
      text,
      parts,
      metadata: {},
    });
    const tasks = await queueAnswers(change, actor.workspaceId, message);
    return { message, tasks };
  });
}

export type NewMessage = ThreadPlace &
  Pick<Message, "parent_id" | "author_type" | "author_id" | "author_name" | "text" | "parts" | "metadata">;

/** Stores a message and the event that tells of it. */
export async function addMessage(change: WorkspaceChange, workspaceId: string, message: NewMessage): Promise<Message> {
  const { threadId, forkId, parts, metadata: given, text, ...fields } = message;
  const addressed = await addressedMembers(change, workspaceId, message);
  const mentions = addressed.map(({ userId }) => userId);
  const metadata = mentions.length === 0 ? given : { ...given, mentions };
  const written = {
    ...fields,
    text: storableText(text),
    id: newId(),
    thread_id: threadId,
    fork_id: forkId,
    created_at: change.now,
    edited_at: null,
    parts_json: JSON.stringify(parts),
    metadata_json: JSON.stringify(metadata),
  };
  const made = messageFrom({ ...written, workspace_id: workspaceId, position: 0 });
  const position = await change.tell("message.created", { message: made });
  await change.tables
    .insertInto("messages")
    .values({ ...written, workspace_id: workspaceId, position })
    .execute();
  await addWords(change.tables, [{ ...written, workspace_id: workspaceId }]);
  await addAttachments(change.tables, workspaceId, parts, change.now);
  for (const { userId, reason } of addressed)
    await change.tables
      .insertInto("addressed")
      .values({ workspace_id: workspaceId, user_id: userId, position, message_id: made.id, reason })
      .execute();
  return made;
}

/**
 * Writes the text of a message, adds to what is known of it, and tells of it. One that was begun empty becomes whole; one that
 * says something else from now on was edited, so that nothing that was made from its text before, such as a summary, holds.
 */
export async function setMessage(
  { tables, tell, now }: WorkspaceChange,
  id: string,
  { text, metadata = {} }: { text: string; metadata?: Message["metadata"] },
): Promise<void> {
  const row = await tables.selectFrom("messages").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const known = JSON.parse(row.metadata_json) as Message["metadata"];
  const written = storableText(text);
  const edited_at = row.text === "" || row.text === written ? row.edited_at : now;
  const set = { text: written, metadata_json: JSON.stringify({ ...known, ...metadata }), edited_at };
  await tables.updateTable("messages").set(set).where("id", "=", id).execute();
  await addWords(tables, [{ ...row, ...set }]);
  await tell("message.updated", { message: messageFrom({ ...row, ...set }) });
}

/** @throws WorkspaceError `not_found` when it isn't in the actor's workspace */
export async function readMessage({ database }: WorkspaceStore, id: string, { workspaceId }: Actor): Promise<Message> {
  const row = await database
    .selectFrom("messages")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such message in this workspace");
  return messageFrom(row);
}

/** Newest first within the limit, given oldest first; the cursor leads to older ones. @throws WorkspaceError */
export async function listMessages(
  { database }: WorkspaceStore,
  place: ThreadPlace,
  { limit, cursor }: Page,
): Promise<PageOf<Message>> {
  const before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
  if (!Number.isSafeInteger(before)) throw new WorkspaceError("invalid", `no such cursor: ${cursor}`);
  const rows = await messagesBefore(database, place, before, limit + 1);
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? String(items.at(-1)?.position) : null;
  return { items: items.toReversed().map(messageFrom), next };
}

/** The last messages of a place before a position, newest first. */
export async function messagesBefore(
  tables: Pick<Database, "selectFrom">,
  place: ThreadPlace,
  position: number,
  limit: number,
): Promise<MessageTable[]> {
  return lastBefore(tables, place, position).limit(limit).execute();
}

/**
 * The query of it. `fork_id` is the same in all of them; that the order names it lets PostgreSQL read the index backwards, as it
 * knows that of `= …` but not of `is null`: without it every message of the thread would be read and sorted.
 */
export const lastBefore = (tables: Pick<Database, "selectFrom">, { threadId, forkId }: ThreadPlace, position: number) =>
  tables
    .selectFrom("messages")
    .selectAll()
    .where("thread_id", "=", threadId)
    .where("fork_id", forkId === null ? "is" : "=", forkId)
    .where("position", "<", position)
    .orderBy("fork_id", "desc")
    .orderBy("position", "desc");

async function requireMessage(
  tables: Pick<Database, "selectFrom">,
  id: string,
  { threadId, forkId }: ThreadPlace,
): Promise<void> {
  const found = await tables
    .selectFrom("messages")
    .select("id")
    .where("id", "=", id)
    .where("thread_id", "=", threadId)
    .where("fork_id", forkId === null ? "is" : "=", forkId)
    .executeTakeFirst();
  if (!found) throw new WorkspaceError("not_found", "the message that this one answers isn't in the same place");
}

export function messageFrom(row: MessageTable): Message {
  const { id, thread_id, fork_id, parent_id, author_type, author_id, author_name, text } = row;
  return {
    id,
    thread_id,
    fork_id,
    parent_id,
    author_type,
    author_id,
    author_name,
    text,
    parts: JSON.parse(row.parts_json) as Message["parts"],
    metadata: JSON.parse(row.metadata_json) as Message["metadata"],
    created_at: timeOf(row.created_at),
    edited_at: timeOrNull(row.edited_at),
  };
}
