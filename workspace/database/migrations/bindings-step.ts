/** The step that brought groups of channels bound to threads, the people in them, and what answers may cost. */
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { key, required, to } from "./step-columns.ts";

export const bindingsStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable("bindings")
      .addColumn("id", "text", key)
      .addColumn("workspace_id", "text", to("workspaces.id"))
      .addColumn("thread_id", "text", to("threads.id"))
      .addColumn("channel_type", "text", required)
      .addColumn("channel_id", "text")
      .addColumn("code_hash", "text")
      .addColumn("expires_at", "bigint")
      .addColumn("position", "bigint", required)
      .addColumn("created_by", "text", required)
      .addColumn("created_at", "bigint", required)
      .addUniqueConstraint("bindings_room", ["channel_type", "channel_id"])
      .execute();
    await schema
      .createTable("member_identities")
      .addColumn("workspace_id", "text", to("workspaces.id"))
      .addColumn("identity", "text", required)
      .addColumn("member_id", "text", to("members.id"))
      .addPrimaryKeyConstraint("member_identities_key", ["workspace_id", "identity"])
      .execute();
    await schema
      .createTable("channel_messages")
      .addColumn("external_id", "text", key)
      .addColumn("created_at", "bigint", required)
      .execute();
    await schema
      .createTable("limit_notices")
      .addColumn("place_id", "text", required)
      .addColumn("scope", "text", required)
      .addColumn("day", "text", required)
      .addPrimaryKeyConstraint("limit_notices_key", ["place_id", "scope", "day"])
      .execute();
    await schema.alterTable("tasks").addColumn("allowance_usd", sql`double precision`).execute();
    await schema.createIndex("tasks_completed").on("tasks").columns(["workspace_id", "completed_at"]).execute();
  },
};
