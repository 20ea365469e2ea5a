/** Looks for a text in files that others are writing, renaming and removing. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../../files/errors/errno.ts";

/**
 * The files of a folder, and of those below, that hold a text. What goes away while it looks holds nothing.
 * @throws Error when the folder isn't there: a wrong path would hold nothing either
 */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) return filesWith(path, text);
      return entry.isFile() && readFileSync(path).includes(text) ? [path] : [];
    } catch (error) {
      if (hasCode(error, "ENOENT")) return [];
      throw error;
    }
  });
}
