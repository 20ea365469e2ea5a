/**
 * Claims of an agent's sessions. Two runs may go on from the same answer, and an attempt may have begun to: a session can go on for
 * one of them alone. Each session has an empty file, `<hash>.<turns>.claim`, which says how many runs have answered in it, or may have
 * begun to; who goes on renames it. A session without one is gone on from by nobody: the next run begins another.
 */
import { readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { shortHash } from "../provider/short-hash.ts";

/** Milliseconds for which a session that rests can be gone on with: 90 days. */
export const claimKeptMs = 90 * 86_400_000;

const ending = ".claim";
const claimFile = (folder: string, session: string, turns: number) =>
  join(folder, `${shortHash(session, 32)}.${turns}${ending}`);

/** Notes a session in which its first run answers, and drops those that have rested for too long. */
export function noteSession(folder: string, session: string, now = Date.now()): void {
  for (const name of readdirSync(folder)) if (name.endsWith(ending)) dropOld(join(folder, name), now);
  writeFileSync(claimFile(folder, session, 1), "", { mode: 0o600 });
}

/** Claims the next turn of a session. Returns whether it is this run's: nobody else has gone on from the same answer. */
export function claimTurn(folder: string, { session_id, turns }: { session_id: string; turns: number }): boolean {
  const claimed = claimFile(folder, session_id, turns + 1);
  try {
    renameSync(claimFile(folder, session_id, turns), claimed);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw error;
  }
  const now = new Date();
  utimesSync(claimed, now, now);
  return true;
}

function dropOld(path: string, now: number): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats && now - stats.mtimeMs > claimKeptMs) rmSync(path, { force: true });
}
