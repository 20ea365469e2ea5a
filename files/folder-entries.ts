/** The entries of a folder, for a reader to whom one that isn't there is empty. */
import { lstatSync, readdirSync, statSync } from "node:fs";
import { hasCode } from "./errors/errno.ts";

/** The names in a folder, in no order; none as well where it can't be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The names in a folder, in no order; one that can't be read is an error. */
export function namesIfThere(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}

/** Whether a path is a folder, or a link to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether a path is a folder itself: a link to one is not. */
export function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
