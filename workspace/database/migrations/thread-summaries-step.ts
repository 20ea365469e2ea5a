/** The step that brought a thread's summary, which stands at its top. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

export const threadSummariesStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable("threads").addColumn("summary_id", "text").execute();
  },
};
