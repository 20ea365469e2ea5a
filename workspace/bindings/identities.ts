/** The identities of members on channels. An admin assigns them: nobody can take another's messages for theirs. */
import type { Transaction } from "kysely";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Tables } from "../database/tables/tables.ts";
import { type Actor, requireAdmin } from "../people/access.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** In the order of their texts. */
export async function identitiesOf({ database }: WorkspaceStore, memberId: string, actor: Actor): Promise<string[]> {
  const rows = await database
    .selectFrom("member_identities")
    .select("identity")
    .where("member_id", "=", memberId)
    .where("workspace_id", "=", actor.workspaceId)
    .orderBy("identity")
    .execute();
  return rows.map(({ identity }) => identity);
}

/** Sets all of a member's. @throws WorkspaceError */
export async function setIdentities(
  store: WorkspaceStore,
  memberId: string,
  identities: readonly string[],
  actor: Actor,
): Promise<void> {
  requireAdmin(actor);
  const { workspaceId: workspace_id } = actor;
  await store.changes.make(workspace_id, async ({ tables, tell }) => {
    const member = await tables
      .selectFrom("members")
      .select("id")
      .where("id", "=", memberId)
      .where("workspace_id", "=", workspace_id)
      .executeTakeFirst();
    if (!member) throw new WorkspaceError("not_found", "there is no such member in this workspace");
    await tables.deleteFrom("member_identities").where("member_id", "=", memberId).execute();
    for (const identity of new Set(identities)) {
      const { numInsertedOrUpdatedRows } = await tables
        .insertInto("member_identities")
        .values({ workspace_id, identity, member_id: memberId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (numInsertedOrUpdatedRows === 0n)
        throw new WorkspaceError("conflict", `${identity} is another member`, "take it from that member first");
    }
    await tell("identity.updated", { member_id: memberId, identities: [...new Set(identities)].toSorted() });
  });
}

/** The member that a sender is, or null: a guest. */
export async function memberByIdentity(
  tables: Transaction<Tables>,
  workspaceId: string,
  identity: string,
): Promise<Actor | null> {
  const row = await tables
    .selectFrom("member_identities")
    .innerJoin("members", "members.id", "member_identities.member_id")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["members.id", "members.role", "members.user_id", "users.name"])
    .where("member_identities.workspace_id", "=", workspaceId)
    .where("member_identities.identity", "=", identity)
    .executeTakeFirst();
  return row ? { userId: row.user_id, memberId: row.id, name: row.name, role: row.role, workspaceId } : null;
}
