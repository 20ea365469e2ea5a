/** The rights in a workspace: everything in it is for its members, and some of it for its admins. */
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { Member } from "../records/people.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** The member who asks, in the workspace that it is about. */
export type Actor = { userId: string; memberId: string; name: string; role: Member["role"]; workspaceId: string };

export const isAdmin = ({ role }: Pick<Actor, "role">) => role === "admin";

/**
 * A user as the member of a workspace.
 * @throws WorkspaceError `not_found` for anybody else: what isn't for one isn't there
 */
export async function memberOf({ database }: WorkspaceStore, workspaceId: string, userId: string): Promise<Actor> {
  const row = await database
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.user_id")
    .select(["members.id", "members.role", "users.name"])
    .where("members.workspace_id", "=", workspaceId)
    .where("members.user_id", "=", userId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such workspace, or you aren't a member of it");
  return { userId, memberId: row.id, name: row.name, role: row.role, workspaceId };
}

export async function isMember(
  tables: Pick<WorkspaceStore["database"], "selectFrom">,
  workspaceId: string,
  userId: string,
): Promise<boolean> {
  const member = tables.selectFrom("members").select("id").where("workspace_id", "=", workspaceId);
  return (await member.where("user_id", "=", userId).executeTakeFirst()) !== undefined;
}

/** The records that stand in a workspace, by the tables that have them, in words. */
const nouns = {
  members: "member",
  agents: "agent",
  threads: "thread",
  messages: "message",
  forks: "fork",
  tasks: "task",
  approvals: "approval",
  bindings: "binding",
} as const;
export type RecordTable = keyof typeof nouns;

/**
 * A user as the member of the workspace that a record is of.
 * @throws WorkspaceError `not_found` in the same words where there is none and where it is of a workspace of others
 */
export async function memberAt(
  { database }: WorkspaceStore,
  table: RecordTable,
  id: string,
  userId: string,
): Promise<Actor> {
  const row = await database
    .selectFrom(table)
    .innerJoin("members as asker", "asker.workspace_id", `${table}.workspace_id`)
    .innerJoin("users", "users.id", "asker.user_id")
    .select(["asker.id", "asker.role", "asker.workspace_id", "users.name"])
    .where(`${table}.id`, "=", id)
    .where("asker.user_id", "=", userId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", `there is no such ${nouns[table]}`);
  return { userId, memberId: row.id, name: row.name, role: row.role, workspaceId: row.workspace_id };
}

/** @throws WorkspaceError `forbidden` for who isn't one */
export function requireAdmin(actor: Actor): void {
  if (!isAdmin(actor))
    throw new WorkspaceError("forbidden", "only an admin of the workspace may do that", "ask one of them");
}
