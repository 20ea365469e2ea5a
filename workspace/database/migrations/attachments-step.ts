/** The step that brought which files belong to a workspace: those of its messages, and those that were stored for one. */
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { required, to } from "./step-columns.ts";

/** Messages whose files are noted at once. */
const together = 500;

export const attachmentsStep: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable("attachments")
      .addColumn("workspace_id", "text", to("workspaces.id"))
      .addColumn("id", "text", required)
      .addColumn("name", "text", required)
      .addColumn("created_at", "bigint", required)
      .addPrimaryKeyConstraint("attachments_key", ["workspace_id", "id"])
      .execute();
    let last = "";
    for (;;) {
      const { rows } = await sql<Row>`SELECT id, workspace_id, parts_json, created_at FROM messages
        WHERE parts_json <> '[]' AND id > ${last} ORDER BY id LIMIT ${together}`.execute(db);
      for (const row of rows)
        for (const { id, name } of JSON.parse(row.parts_json) as { id: string; name: string }[])
          await sql`INSERT INTO attachments (workspace_id, id, name, created_at)
            VALUES (${row.workspace_id}, ${id}, ${name}, ${row.created_at}) ON CONFLICT DO NOTHING`.execute(db);
      const end = rows.at(-1);
      if (rows.length < together || !end) return;
      last = end.id;
    }
  },
};

type Row = { id: string; workspace_id: string; parts_json: string; created_at: number };
