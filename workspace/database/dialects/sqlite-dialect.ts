/** Kysely's SQLite dialect on Node's own SQLite. */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import {
  CompiledQuery,
  type DatabaseConnection,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from "kysely";
import { makePrivateFile } from "../../../files/locks/private-file.ts";

/** Milliseconds for which a transaction waits while another process writes. */
const busyMs = 10_000;
const againMs = 5;
/** Milliseconds for which a single statement waits so. Nothing else of this process goes on meanwhile. */
const statementBusyMs = 1000;

/** A database in a file, which is made when it isn't there. What is committed is on the disk. */
export function sqliteDialect(path: string): SqliteDialect {
  return new FileDialect({
    database: async () => {
      makePrivateFile(path);
      const database = new DatabaseSync(path, { timeout: statementBusyMs });
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
      return {
        close: () => database.close(),
        prepare: (sql) => {
          const statement = database.prepare(sql);
          const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
          return {
            reader: statement.columns().length > 0,
            all: (parameters) => statement.all(...values(parameters)),
            run: (parameters) => statement.run(...values(parameters)),
            iterate: (parameters) => statement.iterate(...values(parameters)),
          };
        },
      };
    },
  });
}

class FileDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createAdapter(): SqliteAdapter {
    return new FileAdapter();
  }

  override createDriver(): SqliteDriver {
    return new WaitingDriver(this.#config);
  }
}

/** SQLite's tables change within a transaction, too; Kysely doesn't ask that of it. So a migration that is cut off has not been. */
class FileAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A transaction may write from its begin on, and waits for others without holding up this process. */
class WaitingDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw("PRAGMA busy_timeout = 0"));
    try {
      for (const end = performance.now() + busyMs; ; await delay(againMs * Math.random()))
        try {
          await connection.executeQuery(CompiledQuery.raw("BEGIN IMMEDIATE"));
          return;
        } catch (error) {
          if (!isBusy(error) || performance.now() > end) throw error;
        }
    } finally {
      await connection.executeQuery(CompiledQuery.raw(`PRAGMA busy_timeout = ${statementBusyMs}`));
    }
  }
}

/** SQLITE_BUSY, in the low byte of SQLite's extended result codes. */
const busy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busy;
}
