/** The members whom a message is for: those whom it names, and whoever said what it answers. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import { handleOf } from "../people/handle.ts";
import { mentionsIn } from "./mentions.ts";

export type AddressedMember = { userId: string; reason: "mention" | "answer" };

type NewMessage = { text: string; parent_id: string | null; author_id: string | null };

/** Each once, never who says it. */
export async function addressedMembers(
  { tables }: Pick<WorkspaceChange, "tables">,
  workspaceId: string,
  { text, parent_id, author_id }: NewMessage,
): Promise<AddressedMember[]> {
  const found = new Map<string, AddressedMember["reason"]>();
  if (parent_id !== null) {
    const answered = await tables
      .selectFrom("messages")
      .select(["author_type", "author_id"])
      .where("id", "=", parent_id)
      .executeTakeFirst();
    if (answered?.author_type === "human" && answered.author_id !== null) found.set(answered.author_id, "answer");
  }
  const named = new Set(text.includes("@") ? mentionsIn(text).map(({ slug }) => slug) : []);
  if (named.size > 0) {
    const members = await tables
      .selectFrom("members")
      .innerJoin("users", "users.id", "members.user_id")
      .select(["users.id", "users.name"])
      .where("members.workspace_id", "=", workspaceId)
      .execute();
    for (const { id, name } of members) if (named.has(handleOf(name))) found.set(id, "mention");
  }
  found.delete(author_id ?? "");
  return [...found].map(([userId, reason]) => ({ userId, reason }));
}
