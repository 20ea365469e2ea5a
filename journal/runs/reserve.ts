/** A file that keeps room on the disk of runs' output, to be given up before anything is lost: `.run/runs/reserve`. */
import { randomFillSync } from "node:crypto";
import { existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { liveRunsFolder } from "./run-folder.ts";

const file = (journal: string) => join(liveRunsFolder(journal), "reserve");

/** Room on the disk of runs' output, at this moment, in bytes: what a process that isn't root may still write. */
export function outputSpace(journal: string): { free: number; total: number } {
  try {
    const { bavail, blocks, bsize } = statfsSync(liveRunsFolder(journal));
    return { free: bavail * bsize, total: blocks * bsize };
  } catch {
    return { free: Infinity, total: Infinity }; // the folder isn't there: nothing is written to it
  }
}

/** Makes the file, unless it is there. False: there is no room for it. */
export function holdReserve(journal: string, bytes: number): boolean {
  const path = file(journal);
  try {
    if (statSync(path, { throwIfNoEntry: false })?.size === bytes) return true;
    // Random: a file system that compresses would keep no room for zeros.
    writeFileSync(path, randomFillSync(Buffer.allocUnsafe(bytes)), { mode: 0o600 });
    return true;
  } catch {
    giveUpReserve(journal);
    return false;
  }
}

export const hasReserve = (journal: string) => existsSync(file(journal));

/** Whether there was one: its room is free now. */
export function giveUpReserve(journal: string): boolean {
  if (!hasReserve(journal)) return false;
  rmSync(file(journal), { force: true });
  return true;
}
