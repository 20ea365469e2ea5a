/** Slugs of agents: unique within a workspace. */
import type { WorkspaceChange } from "../database/changes/change.ts";
import type { Database } from "../database/connection/open-database.ts";
import type { Agent } from "../records/agent.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/** @throws WorkspaceError `conflict` */
export async function requireFreeSlug(
  tables: Pick<Database, "selectFrom">,
  workspaceId: string,
  slug: string,
): Promise<void> {
  const taken = await tables
    .selectFrom("agents")
    .select("id")
    .where("workspace_id", "=", workspaceId)
    .where("slug", "=", slug)
    .executeTakeFirst();
  if (taken) throw new WorkspaceError("conflict", `the slug "${slug}" is taken`, "choose another one");
}

/**
 * From now on an agent is mentioned by this one. Settings and files know a system agent, and a persona's, by theirs.
 * @throws WorkspaceError `conflict`
 */
export async function giveSlug({ tables, now }: WorkspaceChange, agent: Agent, slug: string): Promise<void> {
  if (agent.is_system || agent.persona !== null)
    throw new WorkspaceError("conflict", `the slug "${agent.slug}" can't be changed`, "make another agent");
  await requireFreeSlug(tables, agent.workspace_id, slug);
  await tables.updateTable("agents").set({ slug, updated_at: now }).where("id", "=", agent.id).execute();
}
