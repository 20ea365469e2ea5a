/** The index of runs as a database, `.run/runs.sqlite`: a row for each run that has a file, and the words of what was asked and answered. */
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { type DatabaseKind, openRebuildable } from "../../files/rebuildable-database.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";
import { runtime } from "../config/paths.ts";
import type { RunRow } from "./run-row.ts";

const runIndex: DatabaseKind = {
  // Also higher whenever rows say more than they did.
  version: 2,
  tables: ["runs", "words", "days"],
  schema: `
    CREATE TABLE runs (
      id INTEGER PRIMARY KEY,
      is_ended INTEGER NOT NULL,  -- its file has its final name: nothing in the row changes any more
      state TEXT NOT NULL,
      persona TEXT NOT NULL,
      agent TEXT,
      backend TEXT,
      model TEXT,
      schedule TEXT,
      continue_from INTEGER,
      handed_from INTEGER,
      conversation INTEGER,
      again_of INTEGER,
      ended INTEGER,              -- in ms
      cost REAL,
      is_estimate INTEGER NOT NULL,
      unit TEXT,                  -- of a schedule's run: what it was to do. Tried again it is the same
      row TEXT NOT NULL
    );
    CREATE INDEX runs_by_state ON runs (state, id);
    CREATE INDEX runs_by_persona ON runs (persona, id);
    CREATE INDEX runs_by_agent ON runs (agent, id) WHERE agent IS NOT NULL;
    CREATE INDEX runs_by_backend ON runs (backend, id);
    CREATE INDEX runs_by_model ON runs (model, id);
    CREATE INDEX runs_by_schedule ON runs (schedule, id) WHERE schedule IS NOT NULL;
    CREATE INDEX runs_continued ON runs (continue_from) WHERE continue_from IS NOT NULL;
    CREATE INDEX runs_handed ON runs (handed_from) WHERE handed_from IS NOT NULL;
    CREATE INDEX runs_again ON runs (again_of) WHERE again_of IS NOT NULL;
    CREATE INDEX runs_by_unit ON runs (unit, id) WHERE unit IS NOT NULL;
    CREATE INDEX runs_by_end ON runs (ended, state, schedule, cost, is_estimate) WHERE ended IS NOT NULL;
    CREATE INDEX runs_by_end_of_state ON runs (state, ended) WHERE ended IS NOT NULL;
    CREATE INDEX runs_in_progress ON runs (id) WHERE is_ended = 0;
    CREATE VIRTUAL TABLE words USING fts5 (
      prompt, result, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
    );
    -- A day's folder as it was when all of it had been read.
    CREATE TABLE days (day TEXT PRIMARY KEY, stamp TEXT NOT NULL);
  `,
};

export const openRunDatabase = (journal: string, onBroken: (error: unknown) => void): DatabaseSync =>
  openRebuildable(runtime(journal, "runs.sqlite"), runIndex, onBroken);

/** Characters of a prompt and of a result that are searched. */
const searched = 16_384;

export type IndexedRun = { row: RunRow; isEnded: boolean; words: { prompt: string; result: string } };

/** A run that came of another one, and how. */
export type RunAfter = { row: RunRow; relation: "continued_by" | "handed_to" | "again_by" };

export class RunRows {
  readonly #database: DatabaseSync;
  readonly #statements;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      put: prepare("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      dropWords: prepare("DELETE FROM words WHERE rowid = ?"),
      putWords: prepare("INSERT INTO words (rowid, prompt, result) VALUES (?, ?, ?)"),
      drop: prepare("DELETE FROM runs WHERE id = ?"),
      get: prepare("SELECT row FROM runs WHERE id = ?"),
      between: prepare("SELECT id, is_ended FROM runs WHERE id >= ? AND id < ?"),
      active: prepare("SELECT id FROM runs WHERE is_ended = 0 ORDER BY id DESC"),
      related: prepare(
        "SELECT row, continue_from, handed_from FROM runs WHERE continue_from = ?1 OR handed_from = ?1 OR again_of = ?1 ORDER BY id LIMIT 100",
      ),
      firstOfAgent: prepare("SELECT row FROM runs WHERE agent = ? ORDER BY id LIMIT 1"),
      conversation: prepare("SELECT id, conversation FROM runs WHERE id = ?"),
      loose: prepare(
        "SELECT id, continue_from FROM runs WHERE continue_from IS NOT NULL AND conversation IS NULL ORDER BY id",
      ),
      setConversation: prepare(
        "UPDATE runs SET conversation = ?2, row = json_set(row, '$.conversation', CAST(CAST(?2 AS INTEGER) AS TEXT)) WHERE id = ?1",
      ),
      day: prepare("SELECT stamp FROM days WHERE day = ?"),
      putDay: prepare("INSERT OR REPLACE INTO days VALUES (?, ?)"),
    };
  }

  put({ row, isEnded, words }: IndexedRun): RunRow {
    const { put, dropWords, putWords } = this.#statements;
    const id = Number(row.id);
    const conversation = row.continue_from === null ? null : this.#conversationOf(row.continue_from);
    const placed = { ...row, conversation };
    const { state, persona, agent, backend, model, schedule } = row;
    const related = [
      numberOf(row.continue_from),
      numberOf(row.handed_from),
      numberOf(conversation),
      numberOf(row.again_of),
    ];
    const sums = [endOf(row, isEnded), row.cost_usd, Number(row.cost_is_estimate)];
    const unit = schedule === null ? null : `${schedule} ${row.prompt}`;
    const named = [state, persona, agent, backend, model, schedule];
    put.run(id, Number(isEnded), ...named, ...related, ...sums, unit, JSON.stringify(placed));
    dropWords.run(id);
    putWords.run(id, words.prompt.slice(0, searched), words.result.slice(0, searched));
    return placed;
  }

  drop(id: string): void {
    this.#statements.drop.run(Number(id));
    this.#statements.dropWords.run(Number(id));
  }

  get(id: string): RunRow | null {
    const found = this.#statements.get.get(Number(id));
    return found ? rowOf(found["row"]) : null;
  }

  /** The ids of a day, in UTC, each with whether its run has ended. */
  between(fromMs: number, toMs: number): Map<string, boolean> {
    const found = this.#statements.between.all(fromMs, toMs);
    return new Map(found.map(({ id, is_ended }) => [String(id), is_ended === 1]));
  }

  get active(): string[] {
    return this.#statements.active.all().map(({ id }) => String(id));
  }

  /** The runs that continue one, that it was handed on to, and that do it once more; oldest first. */
  after(id: string): RunAfter[] {
    return this.#statements.related.all(Number(id)).map(({ row, continue_from, handed_from }) => ({
      row: rowOf(row),
      relation: String(continue_from) === id ? "continued_by" : String(handed_from) === id ? "handed_to" : "again_by",
    }));
  }

  /** The first turn of a long-lived agent, or of a task. */
  firstOfAgent(agent: string): RunRow | null {
    const found = this.#statements.firstOfAgent.get(agent);
    return found ? rowOf(found["row"]) : null;
  }

  /** The different values of a column that has an index, in order. Walks from one to the next: it takes as long as there are values, not runs. */
  namesIn(column: "persona" | "model" | "backend", limit: number): string[] {
    const sql = `
      WITH RECURSIVE names (name) AS (
        SELECT min(${column}) FROM runs
        UNION ALL
        SELECT (SELECT min(${column}) FROM runs WHERE ${column} > name) FROM names WHERE name IS NOT NULL
      )
      SELECT name FROM names WHERE name IS NOT NULL LIMIT ${limit}`;
    return this.#database
      .prepare(sql)
      .all()
      .map(({ name }) => String(name));
  }

  /** Once all runs are there: where the conversations began of those that were read before what they continue. */
  joinConversations(): void {
    for (const { id, continue_from } of this.#statements.loose.all()) {
      const first = this.#conversationOf(String(continue_from)) ?? String(continue_from);
      this.#statements.setConversation.run(Number(id), Number(first));
    }
  }

  /** Null: it isn't there, and may still come. */
  #conversationOf(before: string): string | null {
    const found = this.#statements.conversation.get(Number(before));
    return found ? String(found["conversation"] ?? found["id"]) : null;
  }

  stampOf(day: string): string | null {
    const found = this.#statements.day.get(day);
    return found ? String(found["stamp"]) : null;
  }

  putStamp(day: string, stamp: string): void {
    this.#statements.putDay.run(day, stamp);
  }

  /** Rows by conditions, newest first. */
  find(where: string, values: Record<string, SQLInputValue>, limit: number): RunRow[] {
    const sql = `SELECT row FROM runs WHERE ${where} ORDER BY id DESC LIMIT ${limit}`;
    return this.#database
      .prepare(sql)
      .all(values)
      .map(({ row }) => rowOf(row));
  }

  count(where: string, values: Record<string, SQLInputValue>): number {
    return Number(this.#database.prepare(`SELECT count(*) AS runs FROM runs WHERE ${where}`).get(values)?.["runs"]);
  }

  /** Does the work as one change. */
  atOnce(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** One that has no end though its file has ended counts as of its beginning. */
function endOf({ id, ended_at }: RunRow, isEnded: boolean): number | null {
  if (ended_at !== null) return Date.parse(ended_at);
  return isEnded ? Number(id) : null;
}

export const rowOf = (text: unknown) => parseOwnJson(String(text)) as RunRow;
const numberOf = (id: string | null) => (id === null ? null : Number(id));
