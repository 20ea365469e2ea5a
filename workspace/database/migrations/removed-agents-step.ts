/** The step that lets agents be removed: their rows and versions stay, for what they have begun and said. */
import type { Kysely } from "kysely";
import type { Migration } from "kysely/migration";

export const removedAgentsStep: Migration = {
  async up({ schema }: Kysely<unknown>) {
    await schema.alterTable("agents").addColumn("removed_at", "bigint").execute();
  },
};
