/** Where messages stand: in a thread, or in a fork of one. */
import type { Database } from "../database/connection/open-database.ts";
import type { WorkspaceStore } from "../database/changes/store.ts";
import type { ForkTable } from "../database/tables/tables.ts";
import type { Actor } from "../people/access.ts";
import { WorkspaceError } from "../records/workspace-error.ts";
import { requireThread } from "./threads.ts";

export type ThreadPlace = { threadId: string; forkId: string | null };

/** @throws WorkspaceError `not_found` when the actor's workspace hasn't got it, `conflict` for a fork that has ended */
export async function requirePlace(
  tables: Pick<Database, "selectFrom">,
  place: ThreadPlace,
  actor: Actor,
): Promise<void> {
  if (place.forkId === null) return void (await requireThread(tables, place.threadId, actor));
  const { status } = await requireFork(tables, place.forkId, actor);
  if (status === "resolved" || status === "abandoned")
    throw new WorkspaceError("conflict", `the fork is ${status}`, "reopen it to go on in it");
}

/** @throws WorkspaceError `not_found` */
export async function requireFork(
  tables: Pick<Database, "selectFrom">,
  id: string,
  { workspaceId }: Pick<Actor, "workspaceId">,
): Promise<ForkTable> {
  const row = await tables
    .selectFrom("forks")
    .selectAll()
    .where("id", "=", id)
    .where("workspace_id", "=", workspaceId)
    .executeTakeFirst();
  if (!row) throw new WorkspaceError("not_found", "there is no such fork in this workspace");
  return row;
}

/** Where the messages of a fork stand. @throws WorkspaceError `not_found` */
export async function placeOfFork(
  { database }: Pick<WorkspaceStore, "database">,
  id: string,
  actor: Actor,
): Promise<ThreadPlace> {
  const { thread_id } = await requireFork(database, id, actor);
  return { threadId: thread_id, forkId: id };
}
