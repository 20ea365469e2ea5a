/** Kysely's PostgreSQL dialect, with numbers where the columns are `bigint`: times in ms and counts stay below 2^53. */
import { PostgresDialect } from "kysely";

/** Connections of one program. Writes to a workspace wait for each other anyway. */
const connections = 8;

/** Milliseconds for which one is waited for: a host that says nothing is away. */
const connectMs = 30_000;

/** @param url `postgres://user:password@host/database` */
export async function postgresDialect(url: string): Promise<PostgresDialect> {
  const { default: pg } = await import("pg");
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types,
  });
  // A connection that breaks while nobody uses it: the pool makes another one.
  pool.on("error", () => {});
  return new PostgresDialect({ pool });
}
