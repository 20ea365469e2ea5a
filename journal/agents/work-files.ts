/** The files of an agent's work folder, and those outside of it in which a user has let it write. Links that lead out are no way there. */
import { constants, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { mkdir, open, readdir } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { createFile } from "../../files/writing/replace-file.ts";
import type { FacetFile as EditedFile } from "../editing/facet-file.ts";
import { holdsSecrets, secretsIn, whyNotWritten } from "../notes/guarded-paths.ts";
import { inside, OutsideError, realAsFarAsItGoes } from "../config/paths.ts";
import { readLines, type Resource } from "../notes/resources.ts";
import { refused, replaceText, rewriteText, type Rewritten, TextFileError } from "../editing/text-edits.ts";
import type { CallKey, Edit } from "../editing/tool-calls.ts";

/** Where an agent works. */
export type Workplace = {
  journal: string;
  /** A real path. Other paths are relative to it, or absolute. */
  folder: string;
  /** Absolute folders and files. */
  mayWrite: readonly string[];
};

export type WorkEntry = { name: string; kind: "file" | "folder" | "link" | "other"; bytes?: number };

/** Limits of one folder, and of a whole tree. */
const maxEntries = 1000;
const maxWalked = 20_000;

/** Makes the folder where it is missing. */
export function openWorkplace(journal: string, folder: string, mayWrite: readonly string[]): Workplace {
  if (!isAbsolute(folder)) throw new Error(`"${folder}" is not an absolute path of a work folder`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { journal, folder: realpathSync(folder), mayWrite };
}

/**
 * Opens the folder that a run was given: a real path, so it must lead to itself still. Who writes beside it could have put a
 * link in its place.
 * @throws TextFileError
 */
export function openGivenFolder(journal: string, folder: string, mayWrite: readonly string[]): Workplace {
  if (realFolder(folder) !== folder)
    throw new TextFileError(
      `the work folder ${folder} was moved or removed: there is nothing to read or write any more`,
    );
  return { journal, folder, mayWrite };
}

function realFolder(folder: string): string | null {
  try {
    const real = realpathSync(folder);
    return lstatSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

/**
 * Reads lines of a text file, the first and the last included; a long one is cut.
 * @throws TextFileError, ResourceError
 */
export function readWorkFile(work: Workplace, path: string, lines: { from?: number; to?: number } = {}): Resource {
  return readLines(workFilePath(work, path), path, lines);
}

/** The real path of a regular file, for what reads more than text. @throws TextFileError, ResourceError */
export function workFilePath(work: Workplace, path: string): string {
  const real = locateWorkFile(work, path);
  const stats = statsOf(real, path);
  if (stats.isDirectory()) throw new TextFileError(`"${path}" is a folder: ls lists its content`);
  if (!stats.isFile()) throw new TextFileError(`"${path}" is not a regular file`);
  return real;
}

/** Writes a file, new or in place of what it held. @throws TextFileError, FacetFileError */
export async function writeWorkFile(work: Workplace, path: string, text: string, once?: CallKey): Promise<Rewritten> {
  return await rewriteText(forWriting(work, path), text, once);
}

/** Puts a file where none is, whatever it holds; one that is there with the same content stays. Its path. @throws TextFileError */
export async function placeWorkFile(work: Workplace, path: string, content: Buffer): Promise<string> {
  const file = forWriting(work, path);
  try {
    await mkdir(dirname(file.real), { recursive: true, mode: 0o700 });
    if (!(await createFile(file.real, content)) && !(await holds(file.real, content)))
      throw new TextFileError(`"${path}" is there already, and stays as it is: give another name`);
    return file.path;
  } catch (error) {
    throw refused(error, `"${path}" can't be written`);
  }
}

async function holds(path: string, content: Buffer): Promise<boolean> {
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const stats = await file.stat();
  return stats.isFile() && stats.size === content.length && (await file.readFile()).equals(content);
}

/** Replaces a text that stands exactly once in a file. @throws TextFileError, FacetFileError */
export async function editWorkFile(
  work: Workplace,
  path: string,
  change: { oldText: string; newText: string },
  once?: CallKey,
): Promise<Edit> {
  const file = forWriting(work, path);
  statsOf(file.real, path);
  return await replaceText(file, change, once);
}

/** Lists a folder, by name. */
export async function listWorkFolder(work: Workplace, path = "."): Promise<{ entries: WorkEntry[]; isCut: boolean }> {
  const real = locateWorkFile(work, path);
  if (!statsOf(real, path).isDirectory())
    throw new TextFileError(`"${path}" is not a folder: read gives a file's content`);
  const all = await entriesOf(real);
  const entries = all.slice(0, maxEntries).map((entry): WorkEntry => {
    const kind = entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other";
    const bytes = kind === "file" ? lstatSync(join(real, entry.name), { throwIfNoEntry: false })?.size : undefined;
    return { name: entry.name, kind, ...(bytes !== undefined && { bytes }) };
  });
  return { entries, isCut: all.length > maxEntries };
}

/**
 * The paths of all regular files at or below a path, relative to the work folder, in order. Links aren't followed, what git
 * keeps for itself and what holds secrets is left out.
 * @throws TextFileError
 */
export async function workFiles(work: Workplace, path = "."): Promise<{ paths: string[]; isCut: boolean }> {
  const start = locateWorkFile(work, path);
  if (statsOf(start, path).isFile()) return { paths: [shown(work, start)], isCut: false };
  const paths: string[] = [];
  let walked = 0;
  const folders = [start];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const below: string[] = [];
    const isSecret = secretsIn(folder);
    for (const entry of await entriesOf(folder)) {
      if (++walked > maxWalked) return { paths: paths.toSorted(), isCut: true };
      const real = join(folder, entry.name);
      if (entry.name === ".git" || isSecret(entry.name)) continue;
      if (entry.isFile()) paths.push(shown(work, real));
      if (entry.isDirectory()) below.push(real);
    }
    folders.push(...below.toReversed());
  }
  return { paths: paths.toSorted(), isCut: false };
}

/** The real path of what may be read, there or not. @throws TextFileError */
export function locateWorkFile({ folder }: Workplace, path: string): string {
  let real: string;
  try {
    real = inside(folder, path);
  } catch (error) {
    if (error instanceof OutsideError)
      throw new TextFileError(
        `"${path}" is outside of the work folder, and can't be read: give a path relative to that folder, such as notes.txt`,
        { cause: error },
      );
    throw refused(error, `"${path}" can't be read`);
  }
  if (holdsSecrets(real)) throw new TextFileError(`"${path}" can't be read: cortex keeps keys and passwords there`);
  return real;
}

function forWriting(work: Workplace, path: string): EditedFile {
  let real: string;
  let roots: string[];
  try {
    real = realAsFarAsItGoes(resolve(work.folder, path));
    roots = [work.folder, ...work.mayWrite.flatMap(leadsTo)].filter((root) => isWithin(root, real));
    if (roots.length === 0) throw outside(path, real);
  } catch (error) {
    if (error instanceof OutsideError) throw outside(path, path, error);
    throw refused(error, `"${path}" can't be written`);
  }
  if (real === work.folder)
    throw new TextFileError(`"${path}" is the work folder itself: give the path of a file in it`);
  const reasons = roots.map((root) => whyNotWritten(root, real));
  if (!reasons.includes(null))
    throw new TextFileError(
      `"${path}" can't be written by any agent: ${reasons[0]}. Give another path, or tell your user what should stand there`,
    );
  return { journal: realpathSync(work.journal), path: isWithin(work.folder, real) ? shown(work, real) : real, real };
}

/** The real path of what a user has allowed; none for what leads nowhere. */
function leadsTo(allowed: string): string[] {
  try {
    return isAbsolute(allowed) ? [realAsFarAsItGoes(allowed)] : [];
  } catch {
    return [];
  }
}

/** @param real where it leads, as the user is to be asked; that of a link which leads nowhere isn't known */
function outside(path: string, real: string, cause?: unknown): TextFileError {
  return new TextFileError(
    `"${path}" is outside of the work folder, and nothing may be written there: ask with request_permission for "${real}", or write within that folder`,
    { cause },
  );
}

const isWithin = (folder: string, real: string) =>
  real === folder || real.startsWith(folder.endsWith(sep) ? folder : folder + sep);

const shown = ({ folder }: Workplace, real: string) => relative(folder, real).split(sep).join("/");

function statsOf(real: string, path: string) {
  const stats = lstatSync(real, { throwIfNoEntry: false });
  if (!stats) throw new TextFileError(`"${path}" does not exist: ls and glob give the files that there are`);
  return stats;
}

/** Nothing of a folder that may not be read, or has just gone. */
async function entriesOf(folder: string) {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
