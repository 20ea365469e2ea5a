/** The workspaces' database: a file of the journal, or the PostgreSQL that `DATABASE_URL` names. Its tables are brought up to date. */
import { Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { awaitFileLock } from "../../../files/locks/file-lock.ts";
import { keepCopy } from "./keep-copy.ts";
import { migrations as ours } from "../migrations/migrations.ts";
import { postgresDialect } from "../dialects/postgres-dialect.ts";
import { sqliteDialect } from "../dialects/sqlite-dialect.ts";
import type { Tables } from "../tables/tables.ts";

export type Database = Kysely<Tables>;

/** Milliseconds for which the tables may be brought up to date by another program. */
const migratingMs = 120_000;

/** @param target the path of a file, or the address of a PostgreSQL database */
export type DatabaseTarget = { file: string } | { url: string };

/**
 * Opens it and brings its tables up to date. Programs that do so at once wait for each other; a file is copied beside itself
 * before its tables change (`workspace.db.before-002-…`).
 * @throws Error when the tables can't be brought up to date: then they are as they were
 */
export async function openDatabase(
  target: DatabaseTarget,
  migrations: Record<string, Migration> = ours,
): Promise<Database> {
  const database = new Kysely<Tables>({
    dialect: "file" in target ? sqliteDialect(target.file) : await postgresDialect(target.url),
  });
  try {
    if ("file" in target) await migrateFile(database, target.file, migrations);
    // PostgreSQL's migrations take its advisory lock.
    else await migrate(database, migrations);
    return database;
  } catch (error) {
    await database.destroy();
    throw error;
  }
}

/** Resolves when the database answers. @throws Error when it doesn't */
export async function askDatabase(database: Database): Promise<void> {
  await sql`SELECT 1`.execute(database);
}

async function migrateFile(database: Database, file: string, migrations: Record<string, Migration>): Promise<void> {
  using lock = await awaitFileLock(`${file}.migrating`, migratingMs);
  if (!lock) throw new Error(`${file}: another program has been changing its tables for ${migratingMs / 1000} s`);
  const steps = await migratorOf(database, migrations).getMigrations();
  const pending = steps.find(({ executedAt }) => executedAt === undefined);
  const isEmpty = steps.every(({ executedAt }) => executedAt === undefined);
  if (pending && !isEmpty) await keepCopy(database, `${file}.before-${pending.name}`);
  await migrate(database, migrations);
}

async function migrate(database: Database, migrations: Record<string, Migration>): Promise<void> {
  const { error } = await migratorOf(database, migrations).migrateToLatest();
  if (error === undefined) return;
  const [later] = await unknownSteps(database, migrations);
  if (later !== undefined)
    throw new Error(`a newer cortex has made the workspaces' tables (${later}): start that version`, { cause: error });
  throw new Error("the workspaces' tables can't be brought up to date", { cause: error });
}

/** Steps that the tables have taken and this version doesn't know. */
async function unknownSteps(database: Database, migrations: Record<string, Migration>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT name FROM kysely_migration`
    .execute(database)
    .catch(() => ({ rows: [] }));
  return rows.map(({ name }) => name).filter((name) => !Object.hasOwn(migrations, name));
}

function migratorOf(db: Database, migrations: Record<string, Migration>): Migrator {
  return new Migrator({ db, provider: { getMigrations: async () => migrations } });
}
