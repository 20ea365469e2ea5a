/** Failures of the disk under a journal: what they mean, and what to do. None of them is a defect of ours. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";

/** Describes a failure of the disk, or null for another one. */
export function diskError(error: Error, journal: () => string): { message: string; hint: string } | null {
  const { code, path, errcode }: NodeJS.ErrnoException & { errcode?: number } = error;
  if (code === "ERR_SQLITE_ERROR" && ofDatabases.has((errcode ?? 0) & 0xff))
    return { message: `${journal()} can't be written to: ${error.message}`, hint: hintFor(journal()) };
  if (path === undefined || code === undefined) return null;
  if (code === "EROFS") return { message: error.message, hint: readOnlyHint };
  if (code === "EACCES" || code === "EPERM") return { message: error.message, hint: hintFor(path) };
  return others.has(code) ? { message: error.message, hint: `see what is there: ls -ld "${path}"` } : null;
}

/** SQLite's READONLY, IOERR, FULL, CANTOPEN. */
const ofDatabases = new Set([8, 10, 13, 14]);
const others = new Set(["ENOSPC", "EDQUOT", "ENOTDIR", "EISDIR", "EEXIST", "ELOOP"]);

const readOnlyHint =
  "that file system is read-only: mount it for writing, or choose a journal elsewhere: export JOURNAL_PATH=…";

const hintFor = (path: string) =>
  `user ${process.getuid?.() ?? "?"} may not write there: ls -ld "${existing(path)}" shows who may; or choose a journal of your own: export JOURNAL_PATH=…`;

const existing = (path: string): string =>
  existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
