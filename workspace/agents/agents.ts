/** Agents of a workspace. A version is immutable: an update makes one, and publishing moves a pointer. */
import { isDeepStrictEqual } from "node:util";
import type { Selectable, Transaction } from "kysely";
import type { AgentFile } from "./agents-yaml.ts";
import { giveSlug, requireFreeSlug } from "./slugs.ts";
import { requireUsableBackend } from "../records/usable-backend.ts";
import { addVersion, versionsOf } from "./versions.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Database } from "../database/connection/open-database.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { AgentTable, Tables } from "../database/tables/tables.ts";
import { type Actor, requireAdmin } from "../people/access.ts";
import { type Agent, AgentConfig, type AgentUpdate, type AgentVersion, type NewAgent } from "../records/agent.ts";
import { timeOf } from "../records/fields.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/**
 * Adds an agent, with its first version.
 * @throws WorkspaceError `conflict` for a slug that is taken, `invalid` for a backend that can't answer here
 */
export async function createAgent(store: WorkspaceStore, agent: NewAgent, actor: Actor): Promise<Agent> {
  requireAdmin(actor);
  requireUsableBackend(agent);
  return store.changes.make(actor.workspaceId, async (change) => {
    await requireFreeSlug(change.tables, actor.workspaceId, agent.slug);
    const file = { ...agent, is_active: true, is_system: false };
    const id = await addAgent(change.tables, actor.workspaceId, file, actor.userId, change.now);
    return told(change, id);
  });
}

/** @returns its id */
export async function addAgent(
  tables: Transaction<Tables>,
  workspaceId: string,
  { slug, is_active, is_system, ...config }: AgentFile,
  userId: string | null,
  now: number,
): Promise<string> {
  const id = newId();
  const times = { created_at: now, updated_at: now };
  const flags = { is_active: is_active ? 1 : 0, is_system: is_system ? 1 : 0 } as const;
  await tables
    .insertInto("agents")
    .values({ id, workspace_id: workspaceId, slug, ...flags, version: 1, ...times })
    .execute();
  await addVersion(tables, { agentId: id, version: 1, config, userId, now });
  return id;
}

/** Makes a version with these fields changed, and publishes it. @throws WorkspaceError */
export async function updateAgent(
  store: WorkspaceStore,
  id: string,
  { slug, ...update }: AgentUpdate,
  actor: Actor,
): Promise<Agent> {
  requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async (change) => {
    const agent = await requireAgent(change.tables, id, actor);
    const isRenamed = slug !== undefined && slug !== agent.slug;
    if (isRenamed) await giveSlug(change, agent, slug);
    const config = AgentConfig.parse({ ...agent, ...update });
    requireUsableBackend(config);
    // Sent again, since its answer got lost, it makes no second one.
    if (isDeepStrictEqual(config, AgentConfig.parse(agent))) return isRenamed ? told(change, id) : agent;
    const version = await addNextVersion(change, id, config, actor.userId);
    return published(change, id, version);
  });
}

/** @returns its number */
async function addNextVersion(
  { tables, now }: WorkspaceChange,
  id: string,
  config: AgentConfig,
  userId: string | null,
): Promise<number> {
  const { max } = await tables
    .selectFrom("agent_versions")
    .select(({ fn }) => fn.max("version").as("max"))
    .where("agent_id", "=", id)
    .executeTakeFirstOrThrow();
  const version = Number(max) + 1;
  await addVersion(tables, { agentId: id, version, config, userId, now });
  return version;
}

/** Makes a version of its own accord, and publishes it. @returns its number */
export async function publishNewVersion(change: WorkspaceChange, id: string, config: AgentConfig): Promise<number> {
  const version = await addNextVersion(change, id, config, null);
  await published(change, id, version);
  return version;
}

/** Adds an agent of the workspace's own accord, and tells of it. @returns its id */
export async function addToldAgent(change: WorkspaceChange, workspaceId: string, file: AgentFile): Promise<string> {
  const id = await addAgent(change.tables, workspaceId, file, null, change.now);
  await told(change, id);
  return id;
}

/** The agent of a slug with the version that counts, or null. */
export async function agentOfSlug(
  tables: Pick<Database, "selectFrom">,
  workspaceId: string,
  slug: string,
): Promise<Agent | null> {
  const row = await publishedAgents(tables)
    .where("agents.workspace_id", "=", workspaceId)
    .where("agents.slug", "=", slug)
    .executeTakeFirst();
  return row ? agentFrom(row) : null;
}

/** Makes an earlier version, or a later one, the one that counts. Tasks keep the one that they began with. @throws WorkspaceError */
export async function publishVersion(store: WorkspaceStore, id: string, version: number, actor: Actor): Promise<Agent> {
  requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async (change) => {
    await requireAgent(change.tables, id, actor);
    const versions = await versionsOf(change.tables, id);
    const chosen = versions.find((one) => one.version === version);
    if (!chosen)
      throw new WorkspaceError("not_found", `there is no version ${version}`, `there are 1 to ${versions.length}`);
    requireUsableBackend(chosen.config);
    return published(change, id, version);
  });
}

/** One that isn't active can't be mentioned; what it has begun goes on. @throws WorkspaceError */
export async function setAgentActive(
  store: WorkspaceStore,
  id: string,
  isActive: boolean,
  actor: Actor,
): Promise<Agent> {
  requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async (change) => {
    await requireAgent(change.tables, id, actor);
    await change.tables
      .updateTable("agents")
      .set({ is_active: isActive ? 1 : 0, updated_at: change.now })
      .where("id", "=", id)
      .execute();
    return told(change, id);
  });
}

/** All of them, in the order of their slugs. */
export async function listAgents({ database }: WorkspaceStore, workspaceId: string): Promise<Agent[]> {
  const rows = await publishedAgents(database).where("agents.workspace_id", "=", workspaceId).orderBy("slug").execute();
  return rows.map(agentFrom);
}

/** @throws WorkspaceError `not_found` when it isn't in the actor's workspace */
export async function readAgent({ database }: WorkspaceStore, id: string, actor: Actor): Promise<Agent> {
  return requireAgent(database, id, actor);
}

/** Newest first. @throws WorkspaceError */
export async function listVersions({ database }: WorkspaceStore, id: string, actor: Actor): Promise<AgentVersion[]> {
  await requireAgent(database, id, actor);
  return (await versionsOf(database, id)).toReversed();
}

async function published(change: WorkspaceChange, id: string, version: number): Promise<Agent> {
  await change.tables.updateTable("agents").set({ version, updated_at: change.now }).where("id", "=", id).execute();
  return told(change, id);
}

async function told({ tables, tell }: WorkspaceChange, id: string): Promise<Agent> {
  const agent = agentFrom(await publishedAgents(tables).where("agents.id", "=", id).executeTakeFirstOrThrow());
  const { system_prompt: _, ...shown } = agent;
  await tell("agent.updated", { agent: shown });
  return agent;
}

async function requireAgent(tables: Pick<Database, "selectFrom">, id: string, { workspaceId }: Actor): Promise<Agent> {
  const row = await publishedAgents(tables)
    .where("agents.id", "=", id)
    .where("agents.workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such agent in this workspace");
  return agentFrom(row);
}

const publishedAgents = (tables: Pick<Database, "selectFrom">) =>
  tables
    .selectFrom("agents")
    .innerJoin("agent_versions", (join) =>
      join.onRef("agent_versions.agent_id", "=", "agents.id").onRef("agent_versions.version", "=", "agents.version"),
    )
    .selectAll("agents")
    .select("agent_versions.config_json");

function agentFrom(row: Selectable<AgentTable> & { config_json: string }): Agent {
  const { id, workspace_id, slug, version } = row;
  return {
    ...AgentConfig.parse(JSON.parse(row.config_json)),
    id,
    workspace_id,
    slug,
    is_active: row.is_active === 1,
    is_system: row.is_system === 1,
    version,
    created_at: timeOf(row.created_at),
    updated_at: timeOf(row.updated_at),
  };
}
