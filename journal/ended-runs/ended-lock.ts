/** Files of ended runs have two that touch them: what appends to one, and what compresses or deletes it. Never both at a time. */
import { tryFileLock, whileLocked } from "../../files/locks/file-lock.ts";
import { makePrivateFolders, runtime } from "../config/paths.ts";

/** Milliseconds that another process may take for its few system calls. */
const lockTimeoutMs = 5_000;

/** Does something while nobody else touches the files of ended runs. It must not wait for anything: this process has one such lock. */
export function whileEndedLocked<T>(journal: string, work: () => T): T {
  makePrivateFolders(journal);
  return whileLocked(runtime(journal, "ended.lock"), lockTimeoutMs, work);
}

/** The right to prune a journal, which one process has at a time; null while another has it. */
export const takePruneLock = (journal: string) => takeLock(journal, "prune.lock");

/** The right to end runs that nobody owns, which one process has at a time; null while another has it. */
export const takeOrphanLock = (journal: string) => takeLock(journal, "orphans.lock");

function takeLock(journal: string, name: string): Disposable | null {
  makePrivateFolders(journal);
  return tryFileLock(runtime(journal, name));
}
