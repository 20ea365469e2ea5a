/** Tokens of a member: listed by what they are called, never by what they are; made, ended. */
import type { Transaction } from "kysely";
import { inTransaction } from "../database/changes/one-change.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Tables } from "../database/tables/tables.ts";
import { timeOf } from "../records/fields.ts";
import type { UserToken } from "../records/people.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import type { Actor } from "./access.ts";
import { ownerId } from "./owner-id.ts";
import { issueUserToken, tokenIdOf } from "./tokens.ts";

/** Oldest first. @throws WorkspaceError */
export async function listTokens(store: WorkspaceStore, memberId: string, actor: Actor): Promise<UserToken[]> {
  return inTransaction(store.database, async (tables) => {
    const userId = await userWhomActorMaySpeakFor(tables, memberId, actor);
    const rows = await tables
      .selectFrom("tokens")
      .select(["hash", "created_at"])
      .where("user_id", "=", userId)
      .orderBy("created_at")
      .orderBy("hash")
      .execute();
    return rows.map(({ hash, created_at }) => ({ id: tokenIdOf(hash), created_at: timeOf(created_at) }));
  });
}

/** Makes another token; those that there are stay valid. @throws WorkspaceError */
export async function makeToken(
  store: WorkspaceStore,
  memberId: string,
  actor: Actor,
): Promise<UserToken & { token: string }> {
  return inTransaction(store.database, async (tables) => {
    const userId = await userWhomActorMaySpeakFor(tables, memberId, actor);
    const now = Date.now();
    const { token, hash } = await issueUserToken(tables, userId, now);
    return { id: tokenIdOf(hash), created_at: timeOf(now), token };
  });
}

/** Ends a token: whoever comes with it from now on is nobody. @throws WorkspaceError */
export async function revokeToken(
  store: WorkspaceStore,
  memberId: string,
  tokenId: string,
  actor: Actor,
): Promise<void> {
  await inTransaction(store.database, async (tables) => {
    const userId = await userWhomActorMaySpeakFor(tables, memberId, actor);
    const rows = await tables.selectFrom("tokens").select("hash").where("user_id", "=", userId).execute();
    const found = rows.find(({ hash }) => tokenIdOf(hash) === tokenId);
    if (!found) throw new WorkspaceError("not_found", "there is no such token of this member");
    await tables.deleteFrom("tokens").where("hash", "=", found.hash).execute();
  });
}

/**
 * A user's token opens every workspace of that user. So it is for the user alone, and for whoever is an admin of all of them.
 * @throws WorkspaceError `forbidden`
 */
async function userWhomActorMaySpeakFor(tables: Transaction<Tables>, memberId: string, actor: Actor): Promise<string> {
  const { user_id: userId } = await tables
    .selectFrom("members")
    .select("user_id")
    .where("id", "=", memberId)
    .where("workspace_id", "=", actor.workspaceId)
    .executeTakeFirstOrThrow(() => new WorkspaceError("not_found", "there is no such member"));
  if (userId === actor.userId) return userId;
  if (userId === ownerId) throw new WorkspaceError("forbidden", "the owner's tokens are for the owner alone");
  const theirs = tables.selectFrom("members").select("workspace_id").where("user_id", "=", userId);
  const administered = tables
    .selectFrom("members")
    .select("workspace_id")
    .where("user_id", "=", actor.userId)
    .where("role", "=", "admin");
  const elsewhere = await theirs.where("workspace_id", "not in", administered).executeTakeFirst();
  if (!elsewhere) return userId;
  throw new WorkspaceError(
    "forbidden",
    "a member's tokens are for the member, and for an admin of all its workspaces",
    "remove the member, or invite them again",
  );
}
