/** Full-text search over the days and facets of a journal. The index stands in `.run/`; a search brings it up to date first. */
import { realpathSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { CoalescedWork } from "../../files/locks/serial-queue.ts";
import { runtime } from "../config/paths.ts";
import { isBroken } from "../../files/rebuildable-database.ts";
import { createDatabase, openDatabase } from "./search-database.ts";
import { type Index, indexOf, type OnProblem } from "./search-index.ts";
import { compoundsIn } from "./compound-words.ts";
import { askedWords } from "./asked-words.ts";
import { type CompoundsOf, matchesOf } from "./search-query.ts";
import { mark, snippetOf } from "./search-snippet.ts";

export type SearchQuery = {
  query: string;
  /** At most 50; default 10. */
  limit?: number | undefined;
  /** First and last day, YYYYMMDD. With either, only what belongs to a day is found. */
  day_from?: string | undefined;
  day_to?: string | undefined;
  facet?: string | undefined;
};

export type Hit = {
  /** Relative to the journal. */
  path: string;
  /** From 1. */
  line: number;
  snippet: string;
  day: string | null;
  facet: string | null;
};

export type Search = {
  /** The best hits first: those with all words before those with some. Waits for the first reading of the files. */
  search(query: SearchQuery): Promise<Hit[]>;
  /** Resolves when the index is as the files are. */
  refresh(): Promise<void>;
  /** Throws the index away and reads every file again. */
  rebuild(): Promise<void>;
  /** Says that a file or folder, relative to the journal, has changed. */
  changed(path: string): void;
  /** Whether `changed` is called for every change. Until then each search looks at all files. */
  setWatched(isWatched: boolean): void;
  close(): void;
  [Symbol.dispose](): void;
};

const defaultLimit = 10;
const maxLimit = 50;

/** Up to so many files are looked at anew before each search, which takes about 25 ms; above, the watcher is believed. */
const fewFiles = 5_000;

/** Milliseconds for which the index is written before others get their turn. */
const sliceMs = 20;

/**
 * Opens the search of a journal and starts reading what is new. An index that is missing, old or broken is built anew.
 * @throws Error if there can be no index, for instance because the disk is full
 */
export function openSearch(journal: string, options: { onProblem?: OnProblem; signal?: AbortSignal } = {}): Search {
  const { onProblem = () => {}, signal } = options;
  const root = realpathSync(journal);
  const path = runtime(root, "search.sqlite");
  let { database, index } = open();
  let isClosed = false;
  let isWatched = false;
  let mustReadAll = true;
  let mustStartAnew = false;
  let mustReload = false;
  const changedPaths = new Set<string>();
  const passes = new CoalescedWork(pass);

  signal?.addEventListener("abort", close, { once: true });
  // Whoever searches hears of a failure; that of the first reading would otherwise be unhandled.
  refresh().catch((error: unknown) => onProblem("", error));

  function open(): { database: DatabaseSync; index: Index } {
    const opened = openDatabase(path, (error) => onProblem(path, error));
    try {
      return { database: opened, index: indexOf(root, opened, onProblem) };
    } catch (error) {
      opened.close();
      if (!isBroken(error)) throw error;
      onProblem(path, error);
      return create();
    }
  }

  function create(): { database: DatabaseSync; index: Index } {
    const created = createDatabase(path);
    return { database: created, index: indexOf(root, created, onProblem) };
  }

  /** Runs a pass. Those who ask while one runs share the one after it: theirs must begin after they asked. */
  function refresh(): Promise<void> {
    return passes.run();
  }

  async function pass(): Promise<void> {
    try {
      await readChanges();
    } catch (error) {
      if (isClosed) return;
      mustReadAll = true;
      // What was rolled back, as on a full disk, the index still believes to be there.
      mustReload = true;
      if (!isBroken(error)) throw error;
      onProblem(path, error);
      mustStartAnew = true;
      await readChanges();
    }
  }

  async function readChanges(): Promise<void> {
    if (isClosed) return;
    if (mustStartAnew) {
      database.close();
      ({ database, index } = create());
      mustStartAnew = false;
      mustReadAll = true;
    } else if (mustReload) {
      index = indexOf(root, database, onProblem);
    }
    mustReload = false;
    const paths = mustReadAll || !isWatched || index.size <= fewFiles ? [""] : [...changedPaths];
    mustReadAll = false;
    changedPaths.clear();
    for (const changed of paths) await drive(index.update(changed));
  }

  /** Takes the steps in slices, each a transaction of its own, so that none is held while others run. */
  async function drive(steps: Generator<void, void>): Promise<void> {
    for (let isDone = false; !isDone; ) {
      if (isClosed) return;
      const end = performance.now() + sliceMs;
      database.exec("BEGIN");
      try {
        do isDone = steps.next().done === true;
        while (!isDone && performance.now() < end);
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
      if (!isDone) await setImmediate();
    }
  }

  function find(query: SearchQuery): Hit[] {
    if (isClosed) throw new Error("the search is closed");
    const limit = limitOf(query);
    const ranked = new Map<number, string>();
    for (const expression of matchesOf(query.query, statementsOf(database).compoundsOf)) {
      for (const id of rank(database, expression, query, limit))
        if (ranked.size < limit && !ranked.has(id)) ranked.set(id, expression);
      if (ranked.size >= limit) break;
    }
    return [...ranked].map(([id, expression]) => hit(database, expression, id));
  }

  /** Lists the hits of days, their notes first, in the order of the files. */
  function list(query: SearchQuery): Hit[] {
    if (isClosed) throw new Error("the search is closed");
    const { day_from, day_to, facet } = query;
    const rows = statementsOf(database).list.all({
      $from: day_from ?? null,
      $to: day_to ?? null,
      $facet: facet ?? null,
      $limit: limitOf(query),
    });
    return rows.map(hitOf);
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    signal?.removeEventListener("abort", close);
    database.close();
  }

  async function rebuild(): Promise<void> {
    mustStartAnew = true;
    await refresh();
  }

  return {
    async search(query) {
      const hasWords = askedWords(query.query).length > 0;
      // Without a word nothing is better than anything else: days can be told as they stand, all of the journal can't.
      if (!hasWords && query.day_from === undefined && query.day_to === undefined) return [];
      const found = () => (hasWords ? find(query) : list(query));
      await refresh();
      try {
        return found();
      } catch (error) {
        if (!isBroken(error)) throw error;
        onProblem(path, error);
        await rebuild();
        return found();
      }
    },
    refresh,
    rebuild,
    changed: (changedPath) => void changedPaths.add(changedPath),
    setWatched(value) {
      isWatched = value;
      // Nobody told of what changed before.
      mustReadAll = true;
    },
    close,
    [Symbol.dispose]: close,
  };
}

const limitOf = ({ limit = defaultLimit }: SearchQuery) => Math.min(Math.max(1, Math.trunc(limit)), maxLimit);

type Statements = { rank: StatementSync; hit: StatementSync; list: StatementSync; compoundsOf: CompoundsOf };
const prepared = new WeakMap<DatabaseSync, Statements>();

/** Prepared once: a search asks for a dozen hits, one by one. */
function statementsOf(database: DatabaseSync): Statements {
  const known = prepared.get(database);
  if (known) return known;
  const statements = {
    compoundsOf: compoundsIn(database),
    rank: database.prepare(
      `SELECT pieces.id FROM words
       JOIN pieces ON pieces.id = words.rowid
       JOIN files ON files.id = pieces.file
       WHERE words MATCH $expression AND files.stamp IS NOT NULL
         AND ($from IS NULL OR files.day >= $from) AND ($to IS NULL OR files.day <= $to)
         AND ($facet IS NULL OR files.facet = $facet)
       ORDER BY bm25(words, 1.0, 0.2), files.day DESC, pieces.id LIMIT $limit`,
    ),
    list: database.prepare(
      `SELECT path, day, facet, line, words.body AS marked FROM words
       JOIN pieces ON pieces.id = words.rowid
       JOIN files ON files.id = pieces.file
       WHERE files.stamp IS NOT NULL
         AND ($from IS NULL OR files.day >= $from) AND ($to IS NULL OR files.day <= $to)
         AND ($facet IS NULL OR files.facet = $facet)
       ORDER BY files.day, files.facet IS NOT NULL, files.path, pieces.line LIMIT $limit`,
    ),
    hit: database.prepare(
      `SELECT path, day, facet, line, highlight(words, 0, $open, $close) AS marked FROM words
       JOIN pieces ON pieces.id = words.rowid
       JOIN files ON files.id = pieces.file
       WHERE words MATCH $expression AND words.rowid = $id`,
    ),
  };
  prepared.set(database, statements);
  return statements;
}

function rank(database: DatabaseSync, expression: string, query: SearchQuery, limit: number): number[] {
  const rows = statementsOf(database).rank.all({
    $expression: expression,
    $from: query.day_from ?? null,
    $to: query.day_to ?? null,
    $facet: query.facet ?? null,
    $limit: limit,
  });
  return rows.map(({ id }) => Number(id));
}

function hit(database: DatabaseSync, expression: string, id: number): Hit {
  // The id as a bigint: node binds a number as REAL, and FTS5 passes over a rowid that isn't an INTEGER.
  const values = { $expression: expression, $id: BigInt(id), $open: mark.open, $close: mark.close };
  const row = statementsOf(database).hit.get(values);
  if (!row) throw new Error(`the search index lost piece ${id} between two queries`);
  return hitOf(row);
}

function hitOf(row: Record<string, SQLOutputValue>): Hit {
  const { lineOffset, text } = snippetOf(String(row["marked"]));
  return {
    path: String(row["path"]),
    line: Number(row["line"]) + lineOffset,
    snippet: text,
    day: row["day"] === null ? null : String(row["day"]),
    facet: row["facet"] === null ? null : String(row["facet"]),
  };
}
