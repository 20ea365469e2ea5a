/** Which of the two databases it is, for what they don't both know. */
import { type Kysely, PostgresAdapter } from "kysely";
import type { Tables } from "../tables/tables.ts";

export const isPostgres = (database: Pick<Kysely<Tables>, "getExecutor">): boolean =>
  database.getExecutor().adapter instanceof PostgresAdapter;
