/** Where the files of a facet stand, for reading and for writing; none is reached through a link, which could lead out. */
import {
  type Dirent,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../files/errors/error-message.ts";
import { hasCode } from "../../files/errors/errno.ts";
import { isDay } from "../../protocol/names/names.ts";
import { facetFolder, readFacet } from "../notes/facets.ts";
import { inside } from "../config/paths.ts";

export type FacetFile = {
  /** The real path of the journal. */
  journal: string;
  /** Relative to the journal. */
  path: string;
  /** Absolute. */
  real: string;
};

/** A refused change of a facet's file: why not, and what to do, for the one who asked. */
export class FacetFileError extends Error {
  override name = "FacetFileError";
}

/** No file that people keep by hand comes near it. In bytes. */
export const maxFileBytes = 4 * 1024 * 1024;

/**
 * A file of a facet, there or not.
 * @throws UnknownFacetError, FacetFileError
 */
export function facetFile(journal: string, facet: string, below: string): FacetFile {
  readFacet(journal, facet);
  const path = `facets/${facet}/${below}`;
  const straight = join(facetFolder(journal, facet), below);
  let real: string | undefined;
  try {
    real = inside(journal, path);
  } catch (error) {
    throw new FacetFileError(`${path} can't be used: it, or a folder on the way to it, is a link or not a folder`, {
      cause: error,
    });
  }
  if (real !== straight) throw new FacetFileError(`${path} can't be used: it, or a folder on the way to it, is a link`);
  return { journal: realpathSync(journal), path, real };
}

/** A file that a facet has for a day. */
export function dayFile(journal: string, facet: string, kind: DayKind, day: string): FacetFile {
  if (!isDay(day)) throw new FacetFileError(`"${day}" is not a day: expected YYYYMMDD, such as 20250109`);
  return facetFile(journal, facet, `${kind}/${day}${endings[kind]}`);
}

/** The files of a kind that a facet has, by day, the oldest first. Links are left out. */
export function dayFiles(journal: string, facet: string, kind: DayKind): { day: string; file: FacetFile }[] {
  const folder = facetFile(journal, facet, kind);
  return entriesOf(folder.real)
    .filter((entry) => entry.isFile() && entry.name.endsWith(endings[kind]))
    .map(({ name }) => ({
      day: name.slice(0, -endings[kind].length),
      file: { journal: folder.journal, path: `${folder.path}/${name}`, real: join(folder.real, name) },
    }))
    .filter(({ day }) => isDay(day))
    .toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

type DayKind = keyof typeof endings;

const endings = { todos: ".md", news: ".md", entities: ".jsonl" } as const;

/**
 * The bytes of a file and its mode, or null where there is none.
 * @throws FacetFileError for what is not a regular file, or too large
 */
export function readWhole({ path, real }: FacetFile): { bytes: Buffer; mode: number } | null {
  let file: number;
  try {
    // Neither led away by a link put there since the path was checked, nor stuck on a FIFO.
    file = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw new FacetFileError(`${path} can't be read: ${messageOf(error)}`);
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new FacetFileError(`${path} is not a regular file: move it away`);
    if (stats.size > maxFileBytes)
      throw new FacetFileError(`${path} has ${stats.size} bytes, more than the ${maxFileBytes} of a file of its kind`);
    const bytes = readFileSync(file);
    if (bytes.includes(0)) throw new FacetFileError(`${path} is not UTF-8 text: save it as such, or move it away`);
    return { bytes, mode: stats.mode & 0o777 };
  } finally {
    closeSync(file);
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
