/** The step that brought the words of messages, by which they are found: also those of the messages that are there. */
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { isPostgres } from "../dialects/dialect-of.ts";
import { addWords } from "../text/message-words.ts";
import { required } from "./step-columns.ts";
import type { Tables } from "../tables/tables.ts";

/** So many messages are read at once. */
const together = 500;

export const messageWordsStep: Migration = {
  async up(db: Kysely<Tables>) {
    if (isPostgres(db)) await makePostgresTable(db);
    // A word as we cut it is one for SQLite, too: its own ideas of letters aren't asked.
    else
      await sql`CREATE VIRTUAL TABLE message_words USING fts5 (
        words, message_id UNINDEXED, workspace_id UNINDEXED, thread_id UNINDEXED,
        content = '', contentless_unindexed = 1, detail = none, tokenize = 'ascii'
      )`.execute(db);
    for (let after = ""; ; ) {
      const messages = await db
        .selectFrom("messages")
        .select(["id", "workspace_id", "thread_id", "author_type", "text"])
        .where("id", ">", after)
        .orderBy("id")
        .limit(together)
        .execute();
      await addWords(db, messages);
      if (messages.length < together) return;
      after = messages.at(-1)?.id ?? "";
    }
  },
};

async function makePostgresTable({ schema }: Kysely<Tables>): Promise<void> {
  await schema
    .createTable("message_words")
    .addColumn("number", "bigserial", (column) => column.primaryKey())
    .addColumn("words", sql`tsvector`, required)
    .addColumn("message_id", "text", required)
    .addColumn("workspace_id", "text", required)
    .addColumn("thread_id", "text", required)
    .execute();
  await schema.createIndex("messages_by_words").on("message_words").using("gin").column("words").execute();
}
