/** The step that brought settings of workspaces, and approvals. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";
import { key, required, to } from "./step-columns.ts";

export const approvalsStep: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .alterTable("workspaces")
      .addColumn("settings_json", "text", (column) => column.notNull().defaultTo("{}"))
      .execute();
    await schema
      .createTable("approvals")
      .addColumn("id", "text", key)
      .addColumn("workspace_id", "text", to("workspaces.id"))
      .addColumn("thread_id", "text", to("threads.id"))
      .addColumn("fork_id", "text")
      .addColumn("task_id", "text", to("tasks.id"))
      .addColumn("agent_id", "text", required)
      .addColumn("question_id", "text", required)
      .addColumn("tool", "text", required)
      .addColumn("args_json", "text", required)
      .addColumn("why", "text", required)
      .addColumn("action", "text", required)
      .addColumn("requires", "text", required)
      .addColumn("user_id", "text")
      .addColumn("status", "text", required)
      .addColumn("decided_by", "text")
      .addColumn("reason", "text")
      .addColumn("escalates_at", "bigint")
      .addColumn("expires_at", "bigint", required)
      .addColumn("created_at", "bigint", required)
      .addColumn("decided_at", "bigint")
      .addColumn("is_told", "integer", required)
      .addUniqueConstraint("approvals_once", ["question_id"])
      .execute();
    await schema.createIndex("approvals_of_workspace").on("approvals").columns(["workspace_id", "id"]).execute();
    await schema.createIndex("approvals_to_tell").on("approvals").columns(["is_told", "id"]).execute();
  },
};
