/**
 * The notifications of a member: all messages of others, those that are for the member (`mentions`), or none, from
 * where they have read. Nothing is stored for `all` but up to where that is.
 */
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Actor } from "../people/access.ts";
import type { Notification, ReadUpTo } from "../records/notification.ts";
import type { Page, PageOf } from "../records/page.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { messageFrom } from "../threads/messages.ts";

/** Unread ones, newest first. @throws WorkspaceError `invalid` for a cursor that is none */
export async function listNotifications(
  { database }: WorkspaceStore,
  { workspaceId, userId, memberId }: Actor,
  { limit, cursor }: Page,
): Promise<PageOf<Notification>> {
  const before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor);
  if (!Number.isSafeInteger(before)) throw new WorkspaceError("invalid", `no such cursor: ${cursor}`);
  const { notifications: level, read_position } = await database
    .selectFrom("members")
    .select(["notifications", "read_position"])
    .where("id", "=", memberId)
    .executeTakeFirstOrThrow();
  if (level === "none") return { items: [], next: null };
  let query = database
    .selectFrom("messages")
    .leftJoin("addressed", (join) =>
      join
        .onRef("addressed.workspace_id", "=", "messages.workspace_id")
        .onRef("addressed.position", "=", "messages.position")
        .on("addressed.user_id", "=", userId),
    )
    .selectAll("messages")
    .select("addressed.reason")
    .where("messages.workspace_id", "=", workspaceId)
    .where("messages.position", ">", read_position)
    .where("messages.position", "<", before)
    .where((eb) => eb.or([eb("messages.author_id", "is", null), eb("messages.author_id", "!=", userId)]))
    .orderBy("messages.position", "desc")
    .limit(limit + 1);
  if (level === "mentions") query = query.where("addressed.reason", "is not", null);
  const rows = await query.execute();
  const items = rows.slice(0, limit);
  return {
    items: items.map(({ reason, ...row }) => ({
      message: messageFrom(row),
      reason: reason ?? "message",
    })),
    next: rows.length > limit ? String(items.at(-1)?.position) : null,
  };
}

/** Notes up to where a member has read. It never goes back. @throws WorkspaceError `not_found` */
export async function markRead(store: WorkspaceStore, { message_id }: ReadUpTo, actor: Actor): Promise<void> {
  await store.changes.make(actor.workspaceId, async ({ tables }) => {
    const position = message_id === undefined ? await lastEvent() : await positionOf(message_id);
    await tables
      .updateTable("members")
      .set({ read_position: position })
      .where("id", "=", actor.memberId)
      .where("read_position", "<", position)
      .execute();

    async function lastEvent(): Promise<number> {
      const row = await tables
        .selectFrom("workspaces")
        .select("last_event")
        .where("id", "=", actor.workspaceId)
        .executeTakeFirstOrThrow();
      return row.last_event;
    }

    async function positionOf(id: string): Promise<number> {
      const row = await tables
        .selectFrom("messages")
        .select("position")
        .where("id", "=", id)
        .where("workspace_id", "=", actor.workspaceId)
        .executeTakeFirst();
      if (!row) throw new WorkspaceError("not_found", "there is no such message in this workspace");
      return row.position;
    }
  });
}
