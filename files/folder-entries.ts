/** The entries of a folder, for a reader to whom one that isn't there, or can't be read, is empty. */
import { readdirSync, statSync } from "node:fs";

/** The names in a folder, in no order. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Whether a path is a folder, or a link to one. */
export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
