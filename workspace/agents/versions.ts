/** The versions of an agent: added, never changed. */
import type { Transaction } from "kysely";
import type { Database } from "../database/connection/open-database.ts";
import type { AgentVersionTable, Tables } from "../database/tables/tables.ts";
import { AgentConfig, type AgentVersion } from "../records/agent.ts";
import { timeOf } from "../records/fields.ts";

/** Reads the configuration with which a task that began with this version goes on. */
export async function configOfVersion(
  tables: Pick<Database, "selectFrom">,
  id: string,
  version: number,
): Promise<AgentConfig> {
  const row = await tables
    .selectFrom("agent_versions")
    .select("config_json")
    .where("agent_id", "=", id)
    .where("version", "=", version)
    .executeTakeFirstOrThrow();
  return AgentConfig.parse(JSON.parse(row.config_json));
}

type VersionToAdd = { agentId: string; version: number; config: AgentConfig; userId: string | null; now: number };

export async function addVersion(
  tables: Transaction<Tables>,
  { agentId, version, config, userId, now }: VersionToAdd,
): Promise<void> {
  const config_json = JSON.stringify(AgentConfig.parse(config));
  await tables
    .insertInto("agent_versions")
    .values({ agent_id: agentId, version, config_json, created_by: userId, created_at: now })
    .execute();
}

/** Oldest first. */
export async function versionsOf(tables: Pick<Database, "selectFrom">, id: string): Promise<AgentVersion[]> {
  const rows = await tables
    .selectFrom("agent_versions")
    .selectAll()
    .where("agent_id", "=", id)
    .orderBy("version")
    .execute();
  return rows.map(versionFrom);
}

function versionFrom({ agent_id, version, config_json, created_by, created_at }: AgentVersionTable): AgentVersion {
  const config = AgentConfig.parse(JSON.parse(config_json));
  return { agent_id, version, config, created_by, created_at: timeOf(created_at) };
}
