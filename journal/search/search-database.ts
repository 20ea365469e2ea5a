/** The search index as a database: its tables, and that one which can't be used is thrown away. The files are the truth. */
import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

/** Higher whenever a table or the way files are cut into pieces changes: an older index is built anew. */
const version = 1;

/** The codes of SQLite that say that the file is no use: CORRUPT and NOTADB, and READONLY_DBMOVED for one replaced under us. */
const brokenCodes: ReadonlySet<number> = new Set([11, 26]);
const movedCode = 1032;

/** Opens the index, and makes an empty one where there is none, an older one, or one that is broken, which is told. */
export function openDatabase(path: string, onBroken: (error: unknown) => void): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const database = open(path);
    if (isCurrent(database)) return database;
    database.close();
  } catch (error) {
    if (!isBroken(error)) throw error;
    onBroken(error);
  }
  return createDatabase(path);
}

/** Throws the index away and makes an empty one. */
export function createDatabase(path: string): DatabaseSync {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) rmSync(file, { force: true });
  const database = open(path);
  database.exec(`
    CREATE TABLE files (
      id INTEGER PRIMARY KEY,
      path TEXT NOT NULL,
      day TEXT,
      facet TEXT,
      stamp TEXT  -- null while its pieces are being written: it isn't found until all are there
    );
    CREATE TABLE pieces (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL);
    CREATE INDEX pieces_of_file ON pieces (file);
    CREATE VIRTUAL TABLE words USING fts5 (body, heading, tokenize = 'porter unicode61 remove_diacritics 2');
    PRAGMA user_version = ${version};
  `);
  return database;
}

/** Whether an error says that the index must be built anew. */
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

function isCurrent(database: DatabaseSync): boolean {
  if (database.prepare("PRAGMA user_version").get()?.["user_version"] !== version) return false;
  const names = database.prepare("SELECT name FROM sqlite_schema").all();
  return ["files", "pieces", "words"].every((table) => names.some(({ name }) => name === table));
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
