/**
 * The replies that terminals have shown, `.state/channels/cli.db`, so that one that was sent while no terminal was open is shown
 * when one opens, once. Several terminals and exchanges write to it at the same time. Thrown away, it costs no more than that
 * the replies of the last days are shown once more.
 */
import type { DatabaseSync } from "node:sqlite";
import { awaitFileLock } from "../../files/locks/file-lock.ts";
import { openRebuildable } from "../../files/rebuildable-database.ts";
import { state } from "../config/paths.ts";

const kind = {
  version: 1,
  tables: ["shown", "up_to"],
  schema: `
    CREATE TABLE shown (id TEXT PRIMARY KEY, ts INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE up_to (agent TEXT PRIMARY KEY, position INTEGER NOT NULL, id TEXT NOT NULL) WITHOUT ROWID`,
};

/** Longer than the bus keeps replies (7 days): then nobody asks for the id any more. In ms. */
const keptMs = 8 * 24 * 3_600_000;

/** A place of the replies' stream, and the id of the message there: another id means that the stream is another one. */
export type ShownPlace = { position: number; id: string };

export class ShownReplies implements Disposable {
  readonly #journal: string;
  readonly #database: DatabaseSync;

  constructor(journal: string, now = Date.now()) {
    this.#journal = journal;
    this.#database = openRebuildable(state(journal, "channels", "cli.db"), kind, () => {});
    this.#database.prepare("DELETE FROM shown WHERE ts < ?").run(now - keptMs);
  }

  /** The place up to which a terminal has seen all that is an agent's; null: none ever has. */
  placeOf(agentId: string): ShownPlace | null {
    const row = this.#database.prepare("SELECT position, id FROM up_to WHERE agent = ?").get(agentId);
    return row ? { position: Number(row["position"]), id: String(row["id"]) } : null;
  }

  isShown(id: string): boolean {
    return this.#database.prepare("SELECT 1 FROM shown WHERE id = ?").get(id) !== undefined;
  }

  /** Notes that a reply was shown. */
  noteShown(id: string, now = Date.now()): void {
    this.#database.prepare("INSERT OR IGNORE INTO shown (id, ts) VALUES (?, ?)").run(id, now);
  }

  /** Notes that a terminal has seen all that is an agent's up to a place. Another terminal may be further. */
  noteUpTo(agentId: string, { position, id }: ShownPlace): void {
    const sql = `INSERT INTO up_to (agent, position, id) VALUES (?, ?, ?)
      ON CONFLICT (agent) DO UPDATE SET position = excluded.position, id = excluded.id
      WHERE excluded.position > position`;
    this.#database.prepare(sql).run(agentId, position, id);
  }

  /** Forgets an agent's place: the stream counts from the begin again. */
  forgetPlace(agentId: string): void {
    this.#database.prepare("DELETE FROM up_to WHERE agent = ?").run(agentId);
  }

  /** The right to show what waits, which one terminal has at a time; null: another one has had it for that long. */
  lock(timeoutMs: number): Promise<Disposable | null> {
    return awaitFileLock(state(this.#journal, "channels", "cli.lock"), timeoutMs);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
