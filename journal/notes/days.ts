/** The days of a journal, and the files of one. */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRealFolder } from "../../files/folder-entries.ts";
import { isDay } from "../../protocol/names/names.ts";
import { placeOf } from "./search-scope.ts";

/** The days that have a folder, the oldest first. */
export function listDays(journal: string): string[] {
  return readdirSync(journal, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isDay(entry.name))
    .map(({ name }) => name)
    .toSorted();
}

/** A file of a day: its path relative to the journal, and its size in bytes. */
export type DayFile = { path: string; bytes: number };

/** The files of a day, in order of their paths; hidden ones and links are left out. None if the day has no folder. */
export function filesOfDay(journal: string, day: string): DayFile[] {
  if (!isDay(day)) throw new Error(`"${day}" is not a day: expected YYYYMMDD, such as 20250109`);
  if (!isRealFolder(join(journal, day))) return [];
  return [...filesBelow(journal, day)].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function* filesBelow(journal: string, folder: string): Generator<DayFile> {
  for (const entry of readdirSync(join(journal, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (!placeOf(path)) continue;
    if (entry.isDirectory()) yield* filesBelow(journal, path);
    const stats = entry.isFile() ? lstatSync(join(journal, path), { throwIfNoEntry: false }) : undefined;
    if (stats) yield { path, bytes: stats.size };
  }
}
