/** Appends bytes to a file whole, or not at all: what a full disk took of them is cut off again, and tried later. */
import { closeSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "../errors/errno.ts";

/** Milliseconds for which a writer waits before it tries a full disk again. */
const fullDiskMs = 1000;

/**
 * Appends to an open file that nobody else writes to, as soon as there is room.
 * @param file opened for appending
 * @param size how long the file is
 */
export function appendWhole(file: number, bytes: Uint8Array, size: number): Promise<void> {
  return whenRoom(() => appendOrCut(file, bytes, size));
}

/** Appends a text to a file that nobody else writes to, as soon as there is room. A missing file is made, with this mode. */
export function appendText(path: string, text: string, mode: number): Promise<void> {
  return whenRoom(() => appendNow(path, text, mode));
}

/** The same at once, or an error. */
export function appendNow(path: string, text: string, mode: number): void {
  const file = openSync(path, "a", mode);
  try {
    appendOrCut(file, Buffer.from(text), fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

/** Does something as soon as the disk has room for it. What was done by half must not stay. */
export async function whenRoom(work: () => void): Promise<void> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isFull(error)) throw error;
      await delay(fullDiskMs);
    }
  }
}

function appendOrCut(file: number, bytes: Uint8Array, size: number): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
}

/** Whether the disk, or what one may use of it, is full. */
function isFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT");
}
