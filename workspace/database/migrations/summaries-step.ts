/** The step that brought the summaries of older messages. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { required, to } from "./step-columns.ts";

export const summariesStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema
      .createTable("context_summaries")
      .addColumn("workspace_id", "text", to("workspaces.id"))
      .addColumn("coverage", "text", required)
      .addColumn("run_id", "text", required)
      .addColumn("request_json", "text", required)
      .addColumn("text", "text")
      .addColumn("created_at", "bigint", required)
      .addPrimaryKeyConstraint("context_summaries_key", ["workspace_id", "coverage"])
      .execute();
  },
};
