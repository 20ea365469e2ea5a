/** The step that made sessions known as devices, and brought the links that begin one. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { key, required, to } from "./step-columns.ts";

export const devicesStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .alterTable("sessions")
      .addColumn("device", "text", (column) => column.notNull().defaultTo(""))
      .execute();
    await schema
      .alterTable("sessions")
      .addColumn("last_seen_at", "bigint", (column) => column.notNull().defaultTo(0))
      .execute();
    await schema
      .createTable("session_links")
      .addColumn("hash", "text", key)
      .addColumn("user_id", "text", to("users.id"))
      .addColumn("expires_at", "bigint", required)
      .execute();
  },
};
