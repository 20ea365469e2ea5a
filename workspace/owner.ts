/** The owner: whoever has the tokens of this machine's `.run/`. A user and an admin of the first workspace, from the first use on. */
import { inTransaction } from "./database/changes/one-change.ts";
import type { WorkspaceStore } from "./database/changes/store.ts";
import { ownerId } from "./people/owner-id.ts";
import { timeOf } from "./records/fields.ts";
import type { User } from "./records/people.ts";
import { createWorkspace } from "./workspaces.ts";

const ownerName = "Owner";
const firstWorkspaceName = "Workspace";

/** The owner; made with the first workspace where there is none yet. */
export async function ensureOwner(store: WorkspaceStore): Promise<User> {
  return inTransaction(store.database, async (tables) => {
    const now = Date.now();
    const made = await tables
      .insertInto("users")
      .values({ id: ownerId, name: ownerName, created_at: now })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made) await createWorkspace({ ...store, database: tables }, firstWorkspaceName, ownerId);
    const { id, name, created_at } = await tables
      .selectFrom("users")
      .selectAll()
      .where("id", "=", ownerId)
      .executeTakeFirstOrThrow();
    return { id, name, created_at: timeOf(created_at) };
  });
}
