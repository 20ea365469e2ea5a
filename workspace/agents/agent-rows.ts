/** The rows of agents as records: each with the version that is published. Those that were removed are nobody's any more. */
import type { Selectable } from "kysely";
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Database } from "../database/connection/open-database.ts";
import type { AgentTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import { type Agent, AgentConfig } from "../records/agent.ts";
import { timeOf } from "../records/fields.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** All of them, in the order of their slugs. */
export async function agentsOf(tables: Pick<Database, "selectFrom">, workspaceId: string): Promise<Agent[]> {
  const rows = await publishedAgents(tables)
    .where("agents.workspace_id", "=", workspaceId)
    .where("agents.removed_at", "is", null)
    .orderBy("slug")
    .execute();
  return rows.map(agentFrom);
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

/** Tells of an agent as it is now. */
export async function tellAgent({ tables, tell }: WorkspaceChange, id: string): Promise<Agent> {
  const agent = agentFrom(await publishedAgents(tables).where("agents.id", "=", id).executeTakeFirstOrThrow());
  await tell("agent.updated", { agent: shownOf(agent) });
  return agent;
}

/** An agent as events tell of it. */
export function shownOf(agent: Agent): Omit<Agent, "system_prompt"> {
  const { system_prompt: _, ...shown } = agent;
  return shown;
}

/** @throws WorkspaceError `not_found` when it isn't in the actor's workspace, or was removed */
export async function requireAgent(
  tables: Pick<Database, "selectFrom">,
  id: string,
  { workspaceId }: Actor,
): Promise<Agent> {
  const row = await publishedAgents(tables)
    .where("agents.id", "=", id)
    .where("agents.workspace_id", "=", workspaceId)
    .where("agents.removed_at", "is", null)
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
