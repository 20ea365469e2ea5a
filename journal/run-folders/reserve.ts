/** A file that keeps room on the disk of runs' output, to be given up before anything is lost: `.run/runs/reserve`. */
import { randomFillSync } from "node:crypto";
import { statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
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

/** Makes the file, unless it is there whole. False: there is no room for it. */
export function holdReserve(journal: string, bytes: number): boolean {
  if (sizeOf(journal) === bytes) return true;
  try {
    // Random: a file system that compresses would keep no room for zeros.
    writeFileSync(file(journal), randomFillSync(Buffer.allocUnsafe(bytes)), { mode: 0o600 });
    return true;
  } catch {
    giveUpReserve(journal, 0);
    return false;
  }
}

/** Whether it is there whole. */
export const hasReserve = (journal: string, bytes: number) => sizeOf(journal) === bytes;

/** Gives its room up but for `bytes`. Whether there was more. */
export function giveUpReserve(journal: string, bytes: number): boolean {
  if (sizeOf(journal) <= bytes) return false;
  truncateSync(file(journal), bytes);
  return true;
}

const sizeOf = (journal: string) => statSync(file(journal), { throwIfNoEntry: false })?.size ?? 0;
