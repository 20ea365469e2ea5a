/** Brings the index in line with the files, step by step, so that whoever drives it can let others in between. */
import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { hasCode } from "../../files/errors/errno.ts";
import { longWordsTo } from "./compound-words.ts";
import { lettersApart } from "./letters-apart.ts";
import { chunksOf } from "./search-chunks.ts";
import { isSearchedFolder, type NotePlace, placeOf } from "../notes/search-scope.ts";
import { textLines } from "../../files/lines/text-lines.ts";

/** Told about a file or folder that could not be read. It is left out, and tried again when it changes. */
export type OnProblem = (path: string, error: unknown) => void;

export type Index = {
  /** How many files it holds. */
  readonly size: number;
  /** Looks at a file or folder, `""` for everything. The work is done as the steps are taken; a step may be the last. */
  update(path: string): Generator<void, void>;
};

/**
 * The index of a journal, in an open database. One update at a time; after an error of the database it is of no more use.
 * A file is known by size and times. Its new pieces are written beside the old ones and take their place in one step,
 * so that a search between two steps, or after a crash, finds one or the other.
 */
export function indexOf(journal: string, database: DatabaseSync, onProblem: OnProblem): Index {
  const rows = statements(database);
  const noteLongWords = longWordsTo(database);
  for (const { id } of rows.unfinished.all()) forget(Number(id));
  const closedFolders = new Set<string>();
  const known = new Map<string, { id: number; stamp: string }>();
  for (const { path, id, stamp } of rows.all.all()) known.set(String(path), { id: Number(id), stamp: String(stamp) });

  /** A folder that can't be read is told of once, until it can. */
  function entriesOf(folder: string): Dirent[] {
    try {
      const entries = readdirSync(join(journal, folder), { withFileTypes: true });
      closedFolders.delete(folder);
      return entries;
    } catch (error) {
      if (!closedFolders.has(folder)) onProblem(folder, error);
      closedFolders.add(folder);
      return [];
    }
  }

  function forget(id: number): void {
    rows.removeWords.run(id);
    rows.removePieces.run(id);
    rows.removeFile.run(id);
  }

  function* update(path: string): Generator<void, void> {
    const seen = new Set<string>();
    for (const file of filesBelow(journal, path, entriesOf)) {
      const stats = statsOf(join(journal, file));
      const place = placeOf(file);
      if (!stats || !place) continue;
      seen.add(file);
      const stamp = stampOf(stats);
      const before = known.get(file);
      if (before?.stamp !== stamp) yield* replace(file, place, stamp, before?.id);
      yield;
    }
    const gone = known.has(path) && !seen.has(path) ? [path] : [];
    if (!seen.has(path))
      for (const file of known.keys())
        if (!seen.has(file) && (path === "" || file.startsWith(`${path}/`))) gone.push(file);
    for (const file of gone) {
      forget(known.get(file)?.id ?? 0);
      known.delete(file);
      yield;
    }
  }

  function* replace(file: string, place: NotePlace, stamp: string, former: number | undefined): Generator<void, void> {
    const id = Number(rows.addFile.run(file, place.day, place.facet).lastInsertRowid);
    try {
      for (const { line, body, heading } of chunksOf(file, textLines(join(journal, file)))) {
        const piece = rows.addPiece.run(id, line).lastInsertRowid;
        rows.addWords.run(piece, lettersApart(body), lettersApart(heading));
        noteLongWords(body);
        noteLongWords(heading);
        yield;
      }
    } catch (error) {
      if (isOfDatabase(error)) throw error;
      onProblem(file, error);
    }
    if (former !== undefined) forget(former);
    rows.finish.run(stamp, id);
    known.set(file, { id, stamp });
  }

  return {
    get size() {
      return known.size;
    },
    update,
  };
}

function statements(
  database: DatabaseSync,
): Record<
  "unfinished" | "all" | "removeWords" | "removePieces" | "removeFile" | "addFile" | "addPiece" | "addWords" | "finish",
  StatementSync
> {
  return {
    unfinished: database.prepare("SELECT id FROM files WHERE stamp IS NULL"),
    all: database.prepare("SELECT id, path, stamp FROM files WHERE stamp IS NOT NULL"),
    removeWords: database.prepare("DELETE FROM words WHERE rowid IN (SELECT id FROM pieces WHERE file = ?)"),
    removePieces: database.prepare("DELETE FROM pieces WHERE file = ?"),
    removeFile: database.prepare("DELETE FROM files WHERE id = ?"),
    addFile: database.prepare("INSERT INTO files (path, day, facet) VALUES (?, ?, ?)"),
    addPiece: database.prepare("INSERT INTO pieces (file, line) VALUES (?, ?)"),
    addWords: database.prepare("INSERT INTO words (rowid, body, heading) VALUES (?, ?, ?)"),
    finish: database.prepare("UPDATE files SET stamp = ? WHERE id = ?"),
  };
}

/** The indexed files at and below a path. No link is followed: what one inside the journal points to is indexed itself. */
function* filesBelow(journal: string, path: string, entriesOf: (folder: string) => Dirent[]): Generator<string> {
  const stats = statsOf(join(journal, path));
  if (stats?.isFile() && placeOf(path)?.isIndexed) yield path;
  if (!stats?.isDirectory() || !isSearchedFolder(path)) return;
  for (const entry of entriesOf(path)) {
    const below = path === "" ? entry.name : `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(journal, below, entriesOf);
    else if (entry.isFile() && placeOf(below)?.isIndexed) yield below;
  }
}

/**
 * Reads the stats of a path. A file that is gone, or stands in a folder that may be listed and not entered, isn't
 * there.
 */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** A change within this time of the last one may leave the file's times as they were: clocks of file systems are coarse. */
const coarseMs = 100;

function stampOf({ size, mtimeMs, ctimeMs }: Stats): string {
  // Marked as not yet settled, the file is read once more when it has.
  const isSettled = Date.now() - Math.max(mtimeMs, ctimeMs) > coarseMs;
  return `${size}:${mtimeMs}:${ctimeMs}${isSettled ? "" : ":unsettled"}`;
}

function isOfDatabase(error: unknown): boolean {
  return hasCode(error, "ERR_SQLITE_ERROR");
}
