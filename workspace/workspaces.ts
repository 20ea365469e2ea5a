/** Workspaces: made with their first admin and the agents of the seed, read and edited. */
import type { Selectable } from "kysely";
import { type Actor, isAdmin, isMember, memberOf } from "./people/access.ts";
import type { WorkspaceChange } from "./database/changes/change.ts";
import type { ApprovalRule } from "./records/approval.ts";
import { inTransaction } from "./database/changes/one-change.ts";
import { newId, type WorkspaceStore } from "./database/changes/store.ts";
import type { WorkspaceTable } from "./database/tables/tables.ts";
import { timeOf } from "./records/fields.ts";
import type { Workspace, WorkspaceUpdate } from "./records/people.ts";
import { WorkspaceSettings } from "./records/workspace-settings.ts";
import { WorkspaceError } from "./records/workspace-error.ts";
import { addAgent } from "./agents/agents.ts";
import { seededAgents } from "./agents/seeds.ts";

/** At which only what may escalate asks nobody but an admin; a new one begins in the middle. */
const usualTrustLevel = 1;

/** Makes a workspace. Whoever makes it is its admin. */
export async function createWorkspace(store: WorkspaceStore, name: string, userId: string): Promise<Workspace> {
  const now = Date.now();
  const row: Selectable<WorkspaceTable> = {
    id: newId(),
    name,
    page: "",
    trust_level: usualTrustLevel,
    budget_json: null,
    settings_json: "{}",
    last_event: 0,
    created_at: now,
    updated_at: now,
  };
  await inTransaction(store.database, async (tables) => {
    await tables.insertInto("workspaces").values(row).execute();
    await tables
      .insertInto("members")
      .values({
        id: newId(),
        workspace_id: row.id,
        user_id: userId,
        role: "admin",
        notifications: "mentions",
        read_position: 0,
        created_at: now,
      })
      .execute();
    for (const agent of seededAgents()) await addAgent(tables, row.id, agent, null, now);
  });
  return workspaceOf(row);
}

/** Lists the workspaces that a user is a member of, oldest first. */
export async function listWorkspaces(store: WorkspaceStore, userId: string): Promise<Workspace[]> {
  const rows = await store.database
    .selectFrom("workspaces")
    .innerJoin("members", "members.workspace_id", "workspaces.id")
    .selectAll("workspaces")
    .where("members.user_id", "=", userId)
    .orderBy("workspaces.id")
    .execute();
  return rows.map(workspaceOf);
}

/** @throws WorkspaceError when the user isn't a member */
export async function readWorkspace(store: WorkspaceStore, id: string, userId: string): Promise<Workspace> {
  await memberOf(store, id, userId);
  return workspaceOf(await rowOf(store, id));
}

/** Members edit the page; the rest is for admins. @throws WorkspaceError */
export async function updateWorkspace(
  store: WorkspaceStore,
  id: string,
  { page, name, trust_level, budget, settings }: WorkspaceUpdate,
  actor: Actor,
): Promise<Workspace> {
  const isForAdmins = name !== undefined || trust_level !== undefined || budget !== undefined || settings !== undefined;
  if (isForAdmins && !isAdmin(actor))
    throw new WorkspaceError("forbidden", "only an admin may change that", "members may edit the page");
  return store.changes.make(id, async ({ tables, now, tell }) => {
    const known = await rowOf({ database: tables }, id);
    await requireMembers(tables, id, settings?.approval_rules ?? []);
    await tables
      .updateTable("workspaces")
      .set({
        ...(page === undefined ? {} : { page }),
        ...(name === undefined ? {} : { name }),
        ...(trust_level === undefined ? {} : { trust_level }),
        ...(budget === undefined ? {} : { budget_json: budget && JSON.stringify(budget) }),
        ...(settings === undefined ? {} : { settings_json: JSON.stringify({ ...settingsOf(known), ...settings }) }),
        updated_at: now,
      })
      .where("id", "=", id)
      .execute();
    const workspace = workspaceOf(await rowOf({ database: tables }, id));
    await tell("workspace.updated", { workspace });
    return workspace;
  });
}

/** Requires the people whom a rule asks to be members. */
async function requireMembers(
  tables: WorkspaceChange["tables"],
  workspaceId: string,
  rules: readonly ApprovalRule[],
): Promise<void> {
  for (const { user_id } of rules)
    if (user_id !== null && !(await isMember(tables, workspaceId, user_id)))
      throw new WorkspaceError("invalid", `settings.approval_rules: ${user_id} is not a user of this workspace`);
}

type Tables = { database: Pick<WorkspaceStore["database"], "selectFrom"> };

async function rowOf({ database }: Tables, id: string): Promise<Selectable<WorkspaceTable>> {
  return database.selectFrom("workspaces").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
}

function workspaceOf(row: WorkspaceTable): Workspace {
  const { id, name, page, trust_level, budget_json, created_at, updated_at } = row;
  const budget = budget_json === null ? null : (JSON.parse(budget_json) as Workspace["budget"]);
  const times = { created_at: timeOf(created_at), updated_at: timeOf(updated_at) };
  return { id, name, page, trust_level, budget, settings: settingsOf(row), ...times };
}

function settingsOf({ settings_json }: Pick<WorkspaceTable, "settings_json">): WorkspaceSettings {
  return WorkspaceSettings.parse(JSON.parse(settings_json));
}
