/** The step that brought what members are told of: who was meant by a message, and up to where each has read. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { required, to } from "./step-columns.ts";

export const notificationsStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable("members")
      .addColumn("read_position", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable("addressed")
      .addColumn("workspace_id", "text", to("workspaces.id"))
      .addColumn("user_id", "text", required)
      .addColumn("position", "bigint", required)
      .addColumn("message_id", "text", required)
      .addColumn("reason", "text", required)
      .addPrimaryKeyConstraint("addressed_key", ["workspace_id", "user_id", "position"])
      .execute();
    await schema.createIndex("messages_of_workspace").on("messages").columns(["workspace_id", "position"]).execute();
  },
};
