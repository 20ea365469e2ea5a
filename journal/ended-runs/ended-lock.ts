/** Files of ended runs have two that touch them: what appends to one, and what compresses or deletes it. Never both at a time. */
import { DatabaseSync } from "node:sqlite";
import { makePrivateFolders, runtime } from "../config/paths.ts";

/** How long another process may take for its few system calls, in ms. */
const lockTimeoutMs = 5_000;

/** Does something while nobody else touches the files of ended runs. It must not wait for anything: this process has one such lock. */
export function whileEndedLocked<T>(journal: string, work: () => T): T {
  makePrivateFolders(journal);
  const lock = new DatabaseSync(runtime(journal, "ended.lock"), { timeout: lockTimeoutMs });
  try {
    lock.exec("BEGIN EXCLUSIVE"); // SQLite's own file lock: the system lets go of it when the process ends
    return work();
  } finally {
    lock.close();
  }
}

/** The right to prune a journal, which one process has at a time; null while another has it. */
export const takePruneLock = (journal: string) => takeLock(journal, "prune.lock");

/** The right to end runs that nobody owns, which one process has at a time; null while another has it. */
export const takeOrphanLock = (journal: string) => takeLock(journal, "orphans.lock");

function takeLock(journal: string, name: string): Disposable | null {
  makePrivateFolders(journal);
  const lock = new DatabaseSync(runtime(journal, name));
  try {
    lock.exec("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => lock.close() };
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) return null;
    throw error;
  }
}
