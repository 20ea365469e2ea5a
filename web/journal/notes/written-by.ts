/** The run that has written what stands in a file of the journal. */
import { hash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { locateResource, ResourceError } from "../../../journal/notes/resources.ts";
import { placeOf } from "../../../journal/notes/search-scope.ts";
import { savedAt } from "../../../journal/saves/saved-records.ts";

/** Bytes of an entry: a longer one is shown to here. */
const longestEntry = 1024 * 1024;

/** Neither led away by a link put there since the path was checked, nor stuck on a FIFO. */
export function readStart(real: string, path: string): { bytes: Buffer; size: number; changedMs: number } {
  let file: number;
  try {
    file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    throw new ResourceError(`"${path}" can't be read`, { cause: error });
  }
  try {
    const { size, mtimeMs } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, longestEntry));
    const length = readSync(file, bytes, 0, bytes.length, 0);
    return { bytes: bytes.subarray(0, length), size, changedMs: mtimeMs };
  } finally {
    closeSync(file);
  }
}

/** Says of each passage which run wrote the file that it stands in; each file is looked at once. */
export function withWriters<Passage extends { path: string }>(journal: string, passages: readonly Passage[]) {
  const paths = [...new Set(passages.map(({ path }) => path))];
  const writers = new Map(paths.map((path) => [path, writerOf(journal, path)]));
  return passages.map((passage) => ({ ...passage, run: writers.get(passage.path) ?? null }));
}

/** The run that has written what stands at a path; null: none, or the file is gone by now. */
function writerOf(journal: string, path: string): string | null {
  const day = placeOf(path)?.day ?? null;
  const stats = day === null ? undefined : lstatSync(join(journal, path), { throwIfNoEntry: false });
  if (day === null || !stats?.isFile()) return null;
  try {
    return runAt(journal, day, path, stats.size);
  } catch (error) {
    if (error instanceof ResourceError) return null;
    throw error;
  }
}

/** The run that has saved exactly what stands there; null: none, or somebody has changed it since. */
export function runAt(journal: string, day: string, path: string, size: number): string | null {
  const known = savedAt(journal, day, path).filter(({ bytes, by }) => bytes === size && by !== undefined);
  if (known.length === 0 || size > longestEntry) return null;
  const { bytes } = readStart(locateResource(journal, path), path);
  const sha256 = hash("sha256", bytes, "hex");
  return known.findLast((content) => content.sha256 === sha256)?.by ?? null;
}
