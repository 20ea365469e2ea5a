/** A stamp of files and folders: another one as soon as something of them has come, gone or changed. */
import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../../files/folder-entries.ts";

/** Entries at most that are looked at: it is done every few seconds. */
const mostEntries = 2000;
/** Folders within folders that are looked into. */
const deepest = 3;

export function stampOf(paths: readonly string[]): string {
  const hash = createHash("sha1");
  let left = mostEntries;
  const look = (path: string, depth: number) => {
    if (left-- <= 0) return;
    const stats = statsOf(path);
    hash.update(`${path}\0${stats?.size ?? ""}\0${stats?.mtimeMs ?? ""}\n`);
    if (stats?.isDirectory() && depth < deepest)
      for (const name of namesIn(path).toSorted()) look(join(path, name), depth + 1);
  };
  for (const path of paths) look(path, 0);
  return hash.digest("base64");
}

/** Undefined where there is nothing, and where it can't be told: a link that leads to itself, a folder that is closed. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
