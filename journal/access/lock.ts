/** The lock of a journal: one supervisor at a time, on the journal and on the bus's store. It dies with its holder, however that dies. */
import { join } from "node:path";
import { tryFileLock } from "../../files/locks/file-lock.ts";
import { makePrivateFolders, runtime } from "../config/paths.ts";
import { storeFolder } from "./store-holder.ts";

/** The file of each of the two locks. */
export const lockName = "up.lock";

export class JournalLock implements Disposable {
  readonly #locks: Disposable[];

  private constructor(locks: Disposable[]) {
    this.#locks = locks;
  }

  /**
   * The lock, or null when another process holds it, or reaches the same store by another path.
   * @param beforeStore runs once nobody else holds the journal, before its store is locked
   */
  static acquire(journal: string, beforeStore = () => {}): JournalLock | null {
    makePrivateFolders(journal);
    const locks: Disposable[] = [];
    const paths = [
      () => runtime(journal, lockName),
      () => {
        beforeStore();
        return join(storeFolder(journal), lockName);
      },
    ];
    for (const path of paths) {
      const lock = tryFileLock(path());
      if (!lock) {
        for (const taken of locks) taken[Symbol.dispose]();
        return null;
      }
      locks.push(lock);
    }
    return new JournalLock(locks);
  }

  [Symbol.dispose](): void {
    for (const lock of this.#locks.splice(0)) lock[Symbol.dispose]();
  }
}
