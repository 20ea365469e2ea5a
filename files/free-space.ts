/** How much room the journal's disk has. */
import { statfsSync } from "node:fs";

/** Below this a journal takes nothing new, unless the settings say otherwise: 256 MiB. */
export const defaultMinFreeBytes = 256 * 1024 * 1024;
/** A burst of requests asks the system once. */
const freshMs = 1000;

const known = new Map<string, { at: number; bytes: number }>();

/** Whether there is room for more. What was accepted goes on without it, and waits where it must. */
export function hasRoom(journal: string, minFreeBytes = defaultMinFreeBytes): boolean {
  return freeBytes(journal) >= minFreeBytes;
}

/** Bytes that a process that isn't root may still write: a second old at most. */
export function freeBytes(journal: string): number {
  const last = known.get(journal);
  if (last && performance.now() - last.at < freshMs) return last.bytes;
  const { bavail, bsize } = statfsSync(journal);
  const bytes = bavail * bsize;
  known.set(journal, { at: performance.now(), bytes });
  return bytes;
}
