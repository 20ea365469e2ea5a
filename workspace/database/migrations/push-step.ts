/** The step that brought push: where a session's browser is told of what happens, and what it is told. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { key, required, to } from "./step-columns.ts";

export const pushStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable("push_devices")
      .addColumn("session_hash", "text", (column) => key(to("sessions.hash")(column)))
      .addColumn("endpoint", "text", required)
      .addColumn("p256dh", "text", required)
      .addColumn("auth", "text", required)
      .addColumn("kinds_json", "text", required)
      .addColumn("created_at", "bigint", required)
      .execute();
    await schema
      .createTable("pushes")
      .addColumn("session_hash", "text", to("sessions.hash"))
      .addColumn("name", "text", required)
      .addColumn("kind", "text", required)
      .addColumn("leads_to", "text", required)
      .addColumn("state", "text", required)
      .addColumn("why", "text")
      .addColumn("tries", "integer", required)
      .addColumn("next_at", "bigint", required)
      .addColumn("created_at", "bigint", required)
      .addPrimaryKeyConstraint("pushes_key", ["session_hash", "name"])
      .execute();
    await schema.createIndex("pushes_due").on("pushes").columns(["state", "next_at"]).execute();
  },
};
