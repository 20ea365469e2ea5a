/**
 * How the tables came to be, step by step. A step that was released is never edited: the next one goes on from it. Only what
 * SQLite and PostgreSQL both know.
 */
import { type ColumnDefinitionBuilder, type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { approvalsStep } from "./approvals-step.ts";
import { attachmentsStep } from "./attachments-step.ts";
import { bindingsStep } from "./bindings-step.ts";
import { devicesStep } from "./devices-step.ts";
import { sessionsStep } from "./sessions-step.ts";
import { key, required, to } from "./step-columns.ts";
import { messageWordsStep } from "./message-words-step.ts";
import { notificationsStep } from "./notifications-step.ts";
import { pushStep } from "./push-step.ts";
import { removedAgentsStep } from "./removed-agents-step.ts";
import { summariesStep } from "./summaries-step.ts";
import { threadSummariesStep } from "./thread-summaries-step.ts";

export const migrations: Record<string, Migration> = {
  "001-threads": {
    async up(db: Kysely<unknown>) {
      const { schema } = db;
      await schema
        .createTable("workspaces")
        .addColumn("id", "text", key)
        .addColumn("name", "text", required)
        .addColumn("page", "text", required)
        .addColumn("trust_level", "integer", required)
        .addColumn("budget_json", "text")
        .addColumn("last_event", "bigint", required)
        .addColumn("created_at", "bigint", required)
        .addColumn("updated_at", "bigint", required)
        .execute();
      await schema
        .createTable("users")
        .addColumn("id", "text", key)
        .addColumn("name", "text", required)
        .addColumn("created_at", "bigint", required)
        .execute();
      await schema
        .createTable("tokens")
        .addColumn("hash", "text", key)
        .addColumn("user_id", "text", to("users.id"))
        .addColumn("created_at", "bigint", required)
        .execute();
      await schema
        .createTable("members")
        .addColumn("id", "text", key)
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("user_id", "text", to("users.id"))
        .addColumn("role", "text", required)
        .addColumn("notifications", "text", required)
        .addColumn("created_at", "bigint", required)
        .addUniqueConstraint("members_once", ["workspace_id", "user_id"])
        .execute();
      await schema
        .createTable("agents")
        .addColumn("id", "text", key)
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("slug", "text", required)
        .addColumn("is_active", "integer", required)
        .addColumn("is_system", "integer", required)
        .addColumn("version", "integer", required)
        .addColumn("created_at", "bigint", required)
        .addColumn("updated_at", "bigint", required)
        .addUniqueConstraint("agents_slug", ["workspace_id", "slug"])
        .execute();
      await schema
        .createTable("agent_versions")
        .addColumn("agent_id", "text", to("agents.id"))
        .addColumn("version", "integer", required)
        .addColumn("config_json", "text", required)
        .addColumn("created_by", "text")
        .addColumn("created_at", "bigint", required)
        .addPrimaryKeyConstraint("agent_versions_key", ["agent_id", "version"])
        .execute();
      await schema
        .createTable("threads")
        .addColumn("id", "text", key)
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("title", "text", required)
        .addColumn("is_brief", "integer", required)
        .addColumn("created_by", "text", required)
        .addColumn("created_at", "bigint", required)
        .addColumn("updated_at", "bigint", required)
        .execute();
      await schema.createIndex("threads_of_workspace").on("threads").columns(["workspace_id", "id"]).execute();
      await schema
        .createTable("messages")
        .addColumn("id", "text", key)
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("thread_id", "text", to("threads.id"))
        .addColumn("fork_id", "text")
        .addColumn("position", "bigint", required)
        .addColumn("parent_id", "text")
        .addColumn("author_type", "text", required)
        .addColumn("author_id", "text")
        .addColumn("author_name", "text", required)
        .addColumn("text", "text", required)
        .addColumn("parts_json", "text", required)
        .addColumn("metadata_json", "text", required)
        .addColumn("created_at", "bigint", required)
        .addColumn("edited_at", "bigint")
        .execute();
      await schema
        .createIndex("messages_of_thread")
        .on("messages")
        .columns(["thread_id", "fork_id", "position"])
        .execute();
      await schema
        .createTable("forks")
        .addColumn("id", "text", key)
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("thread_id", "text", to("threads.id"))
        .addColumn("message_id", "text", to("messages.id"))
        .addColumn("description", "text", required)
        .addColumn("status", "text", required)
        .addColumn("draft", "text")
        .addColumn("resolution_id", "text")
        .addColumn("created_by", "text", required)
        .addColumn("created_at", "bigint", required)
        .addColumn("updated_at", "bigint", required)
        .execute();
      await schema.createIndex("forks_of_thread").on("forks").columns(["thread_id", "id"]).execute();
      await schema
        .createTable("tasks")
        .addColumn("id", "text", key)
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("thread_id", "text", to("threads.id"))
        .addColumn("fork_id", "text")
        .addColumn("trigger_message_id", "text", required)
        .addColumn("agent_id", "text", required)
        .addColumn("agent_version", "integer", required)
        .addColumn("task_type", "text", required)
        .addColumn("status", "text", required)
        .addColumn("after_task_id", "text")
        .addColumn("input_json", "text", required)
        .addColumn("output_message_id", "text")
        .addColumn("run_id", "text")
        .addColumn("token_usage_json", "text")
        .addColumn("cost_usd", sql`double precision`)
        .addColumn("error", "text")
        .addColumn("created_at", "bigint", required)
        .addColumn("started_at", "bigint")
        .addColumn("completed_at", "bigint")
        .execute();
      await schema.createIndex("tasks_by_status").on("tasks").columns(["status", "id"]).execute();
      await schema.createIndex("tasks_of_thread").on("tasks").columns(["thread_id", "id"]).execute();
      await schema
        .createTable("events")
        .addColumn("workspace_id", "text", to("workspaces.id"))
        .addColumn("number", "bigint", required)
        .addColumn("event", "text", required)
        .addColumn("data_json", "text", required)
        .addColumn("created_at", "bigint", required)
        .addPrimaryKeyConstraint("events_key", ["workspace_id", "number"])
        .execute();
      await schema
        .createTable("idempotency_keys")
        .addColumn("user_id", "text", required)
        .addColumn("key", "text", required)
        .addColumn("request_hash", "text", required)
        .addColumn("status", "integer", required)
        .addColumn("response_json", "text", required)
        .addColumn("created_at", "bigint", required)
        .addPrimaryKeyConstraint("idempotency_keys_key", ["user_id", "key"])
        .execute();
    },
  },
  "002-answers": {
    async up(db: Kysely<unknown>) {
      const add = (
        name: string,
        type: "text" | "bigint" | "integer",
        build: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder,
      ) => db.schema.alterTable("tasks").addColumn(name, type, build).execute();
      await add("is_open", "integer", (column) => column.notNull().defaultTo(0));
      await add("context_size", "text", (column) => column.notNull().defaultTo("whole"));
      await add("request_json", "text", (column) => column);
      await add("waits_until", "bigint", (column) => column);
      await sql`UPDATE tasks SET is_open = 1 WHERE status IN ('queued', 'running')`.execute(db);
      await db.schema.createIndex("tasks_open").on("tasks").columns(["is_open", "workspace_id", "id"]).execute();
    },
  },
  "003-approvals": approvalsStep,
  "004-bindings": bindingsStep,
  "005-sessions": sessionsStep,
  "006-summaries": summariesStep,
  "007-thread-summaries": threadSummariesStep,
  "008-notifications": notificationsStep,
  "009-devices": devicesStep,
  "010-message-words": messageWordsStep,
  "011-attachments": attachmentsStep,
  "012-push": pushStep,
  "013-removed-agents": removedAgentsStep,
};
