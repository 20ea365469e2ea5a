/** The lock of a journal: one supervisor at a time. It dies with its holder, however that dies. */
import { DatabaseSync } from "node:sqlite";
import { runtime } from "./paths.ts";

export class JournalLock implements Disposable {
  readonly #database: DatabaseSync;

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The lock, or null when another process holds it. */
  static take(journal: string): JournalLock | null {
    const database = new DatabaseSync(runtime(journal, "up.lock"));
    try {
      // SQLite's own file lock: the system lets go of it when the process ends.
      database.exec("BEGIN EXCLUSIVE");
      return new JournalLock(database);
    } catch (error) {
      database.close();
      if (error instanceof Error && /locked|busy/.test(error.message)) return null;
      throw error;
    }
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
