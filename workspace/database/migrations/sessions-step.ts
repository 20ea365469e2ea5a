/** The step that brought sessions in a browser. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { key, required, to } from "./step-columns.ts";

export const sessionsStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable("sessions")
      .addColumn("hash", "text", key)
      .addColumn("user_id", "text", to("users.id"))
      .addColumn("created_at", "bigint", required)
      .addColumn("expires_at", "bigint", required)
      .execute();
  },
};
