/**
 * Files that belong to a workspace. The journal keeps each content once, whoever it is of: so a member reaches one by its id where
 * it came into their workspace, and nowhere else.
 */
import type { FilePart } from "../../protocol/files/attachment.ts";
import type { Database } from "../database/connection/open-database.ts";

type NamedFile = Pick<FilePart, "id" | "name">;

/** Notes files as a workspace's. One that is keeps the name that it came with. */
export async function addAttachments(
  tables: Pick<Database, "insertInto">,
  workspaceId: string,
  files: readonly NamedFile[],
  now: number,
): Promise<void> {
  for (const { id, name } of files)
    await tables
      .insertInto("attachments")
      .values({ workspace_id: workspaceId, id, name, created_at: now })
      .onConflict((conflict) => conflict.columns(["workspace_id", "id"]).doNothing())
      .execute();
}

/** The names of those of these files that belong to a workspace, by their ids. */
export async function attachmentNames(
  tables: Pick<Database, "selectFrom">,
  workspaceId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await tables
    .selectFrom("attachments")
    .select(["id", "name"])
    .where("workspace_id", "=", workspaceId)
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
