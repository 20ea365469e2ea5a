/** The lock of a journal: one supervisor at a time, on the journal and on the bus's store. It dies with its holder, however that dies. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { makePrivateFolders, runtime } from "../config/paths.ts";
import { storeFolder } from "./store-holder.ts";

/** The file of each of the two locks. */
export const lockName = "up.lock";

export class JournalLock implements Disposable {
  readonly #locks: DatabaseSync[];

  private constructor(locks: DatabaseSync[]) {
    this.#locks = locks;
  }

  /**
   * The lock, or null when another process holds it, or reaches the same store by another path.
   * @param beforeStore runs once nobody else holds the journal, before its store is locked
   */
  static take(journal: string, beforeStore = () => {}): JournalLock | null {
    makePrivateFolders(journal);
    const locks: DatabaseSync[] = [];
    const paths = [
      () => runtime(journal, lockName),
      () => {
        beforeStore();
        return join(storeFolder(journal), lockName);
      },
    ];
    for (const path of paths) {
      const lock = lockFile(path());
      if (!lock) {
        for (const taken of locks) taken.close();
        return null;
      }
      locks.push(lock);
    }
    return new JournalLock(locks);
  }

  [Symbol.dispose](): void {
    for (const lock of this.#locks.splice(0)) lock.close();
  }
}

function lockFile(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path);
  try {
    // SQLite's own file lock: the system lets go of it when the process ends.
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) return null;
    throw error;
  }
}
