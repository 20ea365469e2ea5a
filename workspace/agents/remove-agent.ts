/** An agent is removed: it is no longer listed, and its slug is free. What it has said stays, with the versions that said it. */
import type { WorkspaceStore } from "../database/changes/store.ts";
import { requireAgent, shownOf } from "./agent-rows.ts";
import { type Actor, requireAdmin } from "../people/access.ts";
import { WorkspaceError } from "../records/workspace-error.ts";

/**
 * Removes an agent for good. What it answers at the moment goes on; what waits for it is refused.
 * @throws WorkspaceError `not_found`, and `conflict` for one that the workspace itself uses
 */
export async function removeAgent(store: WorkspaceStore, id: string, actor: Actor): Promise<void> {
  requireAdmin(actor);
  await store.changes.make(actor.workspaceId, async ({ tables, now, tell }) => {
    const agent = await requireAgent(tables, id, actor);
    if (agent.is_system)
      throw new WorkspaceError(
        "conflict",
        `"${agent.slug}" is used by the workspace itself`,
        "it can be set to be not active",
      );
    await tables
      .updateTable("agents")
      // No slug of any agent has a colon, so that the row stands in nobody's way.
      .set({ slug: `removed:${id}`, is_active: 0, removed_at: now, updated_at: now })
      .where("id", "=", id)
      .execute();
    await tell("agent.removed", { agent: shownOf(agent) });
  });
}
