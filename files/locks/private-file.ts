/** A file that only its owner may read, before somebody else makes one that everybody may. */
import { closeSync, openSync } from "node:fs";
import { hasCode } from "../errors/errno.ts";

/**
 * Makes an empty one where there is none. One that is there isn't opened: closing it would end the locks that SQLite holds on it
 * in this process.
 */
export function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
