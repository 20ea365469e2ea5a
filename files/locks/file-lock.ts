/** A lock on a path that one process of a machine holds at a time. The system lets go of it when its holder ends, however that ends. */
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { makePrivateFile } from "./private-file.ts";

/** The lock, or null while somebody else holds it, be it another part of this process. */
export function tryFileLock(path: string): Disposable | null {
  try {
    return fileLock(path, 0);
  } catch (error) {
    if (isLockHeld(error)) return null;
    throw error;
  }
}

const againMs = 4;

/** The lock as soon as it can be had, or null when somebody else still holds it after this time. */
export async function awaitFileLock(path: string, timeoutMs: number): Promise<Disposable | null> {
  // Tried, not waited for: its holder may be this process, which would wait for itself.
  for (const end = performance.now() + timeoutMs; ; await delay(againMs * (1 + Math.random()))) {
    const lock = tryFileLock(path);
    if (lock || performance.now() > end) return lock;
  }
}

/** SQLITE_BUSY, in the low byte of SQLite's extended result codes. */
const busy = 5;

/** Whether an error says that somebody else holds the lock. */
export function isLockHeld(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === busy;
}

/** Does something that waits for nothing while nobody else holds the lock. It must not ask for the same lock again. */
export function whileLocked<T>(path: string, timeoutMs: number, work: () => T): T {
  using _lock = fileLock(path, timeoutMs);
  return work();
}

/** @throws Error when somebody else still holds it after this time */
function fileLock(path: string, timeoutMs: number): Disposable {
  // SQLite's, since Node has none of its own that dies with the process.
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: timeoutMs });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return { [Symbol.dispose]: () => database.isOpen && database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}
