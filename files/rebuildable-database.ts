/** A SQLite database that can be made again from files at any time: one that is missing, older or broken is thrown away. */
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** The codes of SQLite that say that the file is no use: CORRUPT and NOTADB, and READONLY_DBMOVED for one replaced under us. */
const brokenCodes: ReadonlySet<number> = new Set([11, 26]);
const movedCode = 1032;

/** Milliseconds for which it is waited while others open or make it. */
const openWithinMs = 10_000;

export type DatabaseKind = {
  /** Higher whenever a table, or what is written to it, changes: an older database is made anew. */
  version: number;
  /** The names that must be there. */
  tables: readonly string[];
  /** Makes them. */
  schema: string;
};

/** Opens it, and makes an empty one where there is none, an older one, or one that is broken, which is told. */
export function openRebuildable(path: string, kind: DatabaseKind, onBroken: (error: unknown) => void): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return whileAlone(path, () => {
    try {
      const database = open(path);
      if (isCurrent(database, kind)) return database;
      database.close();
    } catch (error) {
      if (!isBroken(error)) throw error;
      onBroken(error);
    }
    return create(path, kind);
  });
}

/** Throws it away and makes an empty one. */
export const createRebuildable = (path: string, kind: DatabaseKind): DatabaseSync =>
  whileAlone(path, () => create(path, kind));

/** Does something while no other program opens or makes it: of two at once, one would take away what the other has. */
function whileAlone<T>(path: string, work: () => T): T {
  const lock = new (sqlite().DatabaseSync)(`${path}.lock`, { timeout: openWithinMs });
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return work();
  } finally {
    lock.close();
  }
}

function create(path: string, { version, schema }: DatabaseKind): DatabaseSync {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) rmSync(file, { force: true });
  const database = open(path);
  database.exec(`${schema}; PRAGMA user_version = ${version};`);
  return database;
}

/** Whether an error says that it must be made anew. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return false;
  return brokenCodes.has(error.errcode & 0xff) || error.errcode === movedCode;
}

function open(path: string): DatabaseSync {
  const database = new (sqlite().DatabaseSync)(path);
  try {
    // The log keeps a killed writer from leaving half a page; nothing need outlive a power cut.
    database.exec("PRAGMA busy_timeout = 1000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isCurrent(database: DatabaseSync, { version, tables }: DatabaseKind): boolean {
  if (database.prepare("PRAGMA user_version").get()?.["user_version"] !== version) return false;
  const names = database.prepare("SELECT name FROM sqlite_schema").all();
  return tables.every((table) => names.some(({ name }) => name === table));
}

/** Older releases of Node 24 warn on stderr that node:sqlite is experimental when it is first loaded. That warning alone is kept back. */
function sqlite(): typeof import("node:sqlite") {
  const original = Object.getOwnPropertyDescriptor(process, "emitWarning");
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    if (original) Object.defineProperty(process, "emitWarning", original);
  }
}
