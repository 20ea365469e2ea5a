/** Members of a workspace: invited with a token that is shown once, edited, removed. */
import type { Selectable } from "kysely";
import { type Actor, requireAdmin } from "./access.ts";
import { handleOf } from "./handle.ts";
import { issueUserToken } from "./tokens.ts";
import { inTransaction } from "../database/changes/one-change.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { MemberTable } from "../database/tables/tables.ts";
import { timeOf } from "../records/fields.ts";
import type { Member, MemberUpdate, Role, User } from "../records/people.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** Makes a user without a workspace. */
export async function createUser({ database }: WorkspaceStore, name: string): Promise<{ user: User; token: string }> {
  const [id, now] = [newId(), Date.now()];
  const token = await inTransaction(database, async (tables) => {
    await tables.insertInto("users").values({ id, name, created_at: now }).execute();
    return (await issueUserToken(tables, id, now)).token;
  });
  return { user: { id, name, created_at: timeOf(now) }, token };
}

/** Makes a user who is a member of the admin's workspace. @throws WorkspaceError */
export async function inviteMember(
  store: WorkspaceStore,
  { name, role }: { name: string; role: Role },
  actor: Actor,
): Promise<{ user: User; member: Member; token: string }> {
  requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async ({ tables, now, tell }) => {
    const [userId, memberId] = [newId(), newId()];
    await tables.insertInto("users").values({ id: userId, name, created_at: now }).execute();
    const row: MemberTable = {
      id: memberId,
      workspace_id: actor.workspaceId,
      user_id: userId,
      role,
      notifications: "mentions",
      read_position: 0,
      created_at: now,
    };
    await tables.insertInto("members").values(row).execute();
    const { token } = await issueUserToken(tables, userId, now);
    const member = memberFrom({ ...row, name });
    await tell("member.updated", { member });
    return { user: { id: userId, name, created_at: timeOf(now) }, member, token };
  });
}

/** All of them, oldest first. */
export async function listMembers({ database }: WorkspaceStore, { workspaceId }: Actor): Promise<Member[]> {
  const rows = await withNames(database)
    .where("members.workspace_id", "=", workspaceId)
    .orderBy("members.id")
    .execute();
  return rows.map(memberFrom);
}

/** Lists the memberships of a user, oldest first. */
export async function membershipsOf({ database }: WorkspaceStore, userId: string): Promise<Member[]> {
  const rows = await withNames(database).where("members.user_id", "=", userId).orderBy("members.id").execute();
  return rows.map(memberFrom);
}

/** Admins set roles; a member sets its own notifications. @throws WorkspaceError */
export async function updateMember(
  store: WorkspaceStore,
  memberId: string,
  { role, notifications }: MemberUpdate,
  actor: Actor,
): Promise<Member> {
  if (role !== undefined || memberId !== actor.memberId) requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async ({ tables, tell }) => {
    const set = { ...(role && { role }), ...(notifications && { notifications }) };
    if (Object.keys(set).length > 0)
      await tables
        .updateTable("members")
        .set(set)
        .where("id", "=", memberId)
        .where("workspace_id", "=", actor.workspaceId)
        .execute();
    await requireAnAdmin(tables, actor.workspaceId);
    const member = memberFrom(await requireMember(tables, memberId, actor));
    await tell("member.updated", { member });
    return member;
  });
}

/** Admins remove anybody, a member itself. Its messages stay. @throws WorkspaceError */
export async function removeMember(store: WorkspaceStore, memberId: string, actor: Actor): Promise<void> {
  if (memberId !== actor.memberId) requireAdmin(actor);
  await store.changes.make(actor.workspaceId, async ({ tables, tell }) => {
    const member = memberFrom(await requireMember(tables, memberId, actor));
    await tables.deleteFrom("members").where("id", "=", memberId).execute();
    await requireAnAdmin(tables, actor.workspaceId);
    await tell("member.removed", { member });
  });
}

type Tables = Pick<WorkspaceStore["database"], "selectFrom">;

/** @throws WorkspaceError `not_found` when it isn't in the actor's workspace */
async function requireMember(
  tables: Tables,
  memberId: string,
  { workspaceId }: Actor,
): Promise<Selectable<MemberTable> & { name: string }> {
  const row = await withNames(tables)
    .where("members.id", "=", memberId)
    .where("members.workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such member in this workspace");
  return row;
}

async function requireAnAdmin(tables: Tables, workspaceId: string): Promise<void> {
  const admin = await tables
    .selectFrom("members")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("role", "=", "admin")
    .executeTakeFirst();
  if (!admin) throw new WorkspaceError("conflict", "a workspace needs an admin", "make somebody else one first");
}

const withNames = (tables: Tables) =>
  tables
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .selectAll("members")
    .select("users.name");

function memberFrom(row: Selectable<MemberTable> & { name: string }): Member {
  const { id, workspace_id, user_id, name, role, notifications, created_at } = row;
  const handle = handleOf(name);
  return { id, workspace_id, user_id, name, handle, role, notifications, created_at: timeOf(created_at) };
}
