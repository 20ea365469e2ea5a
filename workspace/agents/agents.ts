/** Agents of a workspace. A version is immutable: an update makes one, and publishing moves a pointer. */
import { isDeepStrictEqual } from "node:util";
import type { Transaction } from "kysely";
import { agentsOf, requireAgent, tellAgent } from "./agent-rows.ts";
import type { AgentFile } from "./agents-yaml.ts";
import { giveSlug, requireFreeSlug } from "./slugs.ts";
import { requireUsableBackend } from "../records/usable-backend.ts";
import { addVersion, versionsOf } from "./versions.ts";
import type { WorkspaceChange } from "../database/changes/change.ts";
import { newId, type WorkspaceStore } from "../database/changes/store.ts";
import type { Tables } from "../database/tables/tables.ts";
import { type Actor, requireAdmin } from "../people/access.ts";
import { type Agent, AgentConfig, type AgentUpdate, type AgentVersion, type NewAgent } from "../records/agent.ts";
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
    return tellAgent(change, id);
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
    .values({ id, workspace_id: workspaceId, slug, ...flags, version: 1, removed_at: null, ...times })
    .execute();
  await addVersion(tables, { agentId: id, version: 1, config, userId, now });
  return id;
}

/**
 * Makes a version with these fields changed, and publishes it.
 * @throws WorkspaceError `conflict` when another version is published than the one that was read
 */
export async function updateAgent(
  store: WorkspaceStore,
  id: string,
  { slug, version: readVersion, ...update }: AgentUpdate,
  actor: Actor,
): Promise<Agent> {
  requireAdmin(actor);
  return store.changes.make(actor.workspaceId, async (change) => {
    const agent = await requireAgent(change.tables, id, actor);
    const isRenamed = slug !== undefined && slug !== agent.slug;
    const config = AgentConfig.parse({ ...agent, ...update });
    // Sent again, since its answer got lost, it makes no second one.
    const isSame = isDeepStrictEqual(config, AgentConfig.parse(agent));
    if (isSame && !isRenamed) return agent;
    requireVersion(agent, readVersion);
    if (isRenamed) await giveSlug(change, agent, slug);
    requireUsableBackend(config);
    if (isSame) return tellAgent(change, id);
    const version = await addNextVersion(change, id, config, actor.userId);
    return published(change, id, version);
  });
}

/** @throws WorkspaceError `conflict`: somebody else has changed it meanwhile */
function requireVersion({ version }: Agent, read: number | undefined): void {
  if (read !== undefined && read !== version)
    throw new WorkspaceError(
      "conflict",
      `version ${version} of the agent is published by now, not ${read}`,
      "read it again",
    );
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
  await tellAgent(change, id);
  return id;
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
    return tellAgent(change, id);
  });
}

/** All of them, in the order of their slugs. */
export const listAgents = ({ database }: WorkspaceStore, workspaceId: string): Promise<Agent[]> =>
  agentsOf(database, workspaceId);

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
  return tellAgent(change, id);
}
