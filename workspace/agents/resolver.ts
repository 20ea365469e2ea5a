/** The agent that sums up: the drafts of resolutions, and long threads. Whoever asks names it, or a setting of the workspace. */
import type { Database } from "../database/connection/open-database.ts";
import { WorkspaceSettings } from "../records/workspace-settings.ts";

export type Resolver = { slug: string; agent: { id: string; version: number } | null };

/**
 * @param wanted its slug; null: the setting's
 * @returns no agent where there is none of that slug, or it isn't active
 */
export async function resolverOf(
  tables: Pick<Database, "selectFrom">,
  workspaceId: string,
  wanted: string | null = null,
): Promise<Resolver> {
  const { settings_json } = await tables
    .selectFrom("workspaces")
    .select("settings_json")
    .where("id", "=", workspaceId)
    .executeTakeFirstOrThrow();
  const slug = wanted ?? WorkspaceSettings.parse(JSON.parse(settings_json)).resolver;
  const agent = await tables
    .selectFrom("agents")
    .select(["id", "version"])
    .where("workspace_id", "=", workspaceId)
    .where("slug", "=", slug)
    .where("is_active", "=", 1)
    .executeTakeFirst();
  return { slug, agent: agent ?? null };
}
