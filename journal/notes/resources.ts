/** Reads a file of the journal's days and facets, or some lines of it, for someone who may see nothing else of the journal. */
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { inside, OutsideError } from "../config/paths.ts";
import { placeOf } from "./search-scope.ts";
import { maxTextBytes, type TextLine, textLines } from "../../files/lines/text-lines.ts";

/** Both lines are included; absent: the first, the last. */
export type LineRange = { from?: number; to?: number };

export type Resource = {
  path: string;
  /** The lines that were read, the first numbered from 1; `to` is below `from` where there are none. */
  from: number;
  to: number;
  lines: string[];
  /** Whether lines that were asked for are missing at the end. */
  isCut: boolean;
};

/** Lines that one reading gives at most. Who wants more asks for the lines that follow. */
const maxLines = 500;
const maxCharacters = 32_000;
const maxLineCharacters = 8_000;

/** A path that can't be read, with the reason for whoever asked. */
export class ResourceError extends Error {
  override name = "ResourceError";
}

/**
 * Reads lines of a file that may be seen.
 * @throws ResourceError
 */
export function readResource(journal: string, path: string, lines: LineRange = {}): Resource {
  return readLines(locateResource(journal, path), path, lines);
}

/**
 * Lines of a text file whose place was checked before.
 * @param path what whoever asked calls it
 * @throws ResourceError
 */
export function readLines(real: string, path: string, lines: LineRange = {}): Resource {
  return linesInRange(textLines(real, maxLineCharacters), path, lines);
}

/**
 * As many of the lines that were asked for as one answer holds.
 * @param text from its first line on; it is read no further than needed
 * @throws ResourceError
 */
export function linesInRange(text: Iterable<TextLine>, path: string, lines: LineRange): Resource {
  const { from = 1, to = Number.POSITIVE_INFINITY } = lines;
  if (from > to)
    throw new ResourceError(`"${path}": from ${from} is after to ${to}: expected the first line, then the last`);
  const kept: string[] = [];
  let total = 0;
  let characters = 0;
  let isBound = false;
  for (const line of text) {
    total = line.number;
    isBound = line.isBound ?? false;
    if (total === 1 && line.text.includes("\0")) throw new ResourceError(`"${path}" is not a text file`);
    if (line.number < from) continue;
    if (line.number > to) break;
    const isFull = kept.length >= maxLines || (kept.length > 0 && characters + line.text.length > maxCharacters);
    if (isFull) return { path, from, to: from + kept.length - 1, lines: kept, isCut: true };
    kept.push(line.cut ? `${line.text} … (line cut)` : line.text);
    characters += line.text.length;
  }
  if (kept.length === 0 && isBound)
    throw new ResourceError(
      `"${path}": line ${from} is behind its first ${maxTextBytes} bytes, which are read at most`,
    );
  if (kept.length === 0 && from > 1) throw new ResourceError(`"${path}" has ${total} lines: there is no line ${from}`);
  return { path, from, to: from + kept.length - 1, lines: kept, isCut: isBound };
}

/**
 * The real path of a file that may be seen. What a link leads to must be a day's or a facet's as well.
 * @throws ResourceError
 */
export function locateResource(journal: string, path: string): string {
  if (!placeOf(path)) throw hidden(path);
  let real: string;
  try {
    real = inside(journal, path);
  } catch (error) {
    if (error instanceof OutsideError) throw hidden(path, error);
    throw new ResourceError(`"${path}" can't be read`, { cause: error });
  }
  if (!placeOf(relative(realpathSync(journal), real).split(sep).join("/"))) throw hidden(path);
  const stats = lstatSync(real, { throwIfNoEntry: false });
  if (!stats) throw new ResourceError(`"${path}" does not exist: search_journal gives the paths of files`);
  if (stats.isDirectory()) throw new ResourceError(`"${path}" is a folder: ${contents(real, path)}`);
  if (!stats.isFile()) throw new ResourceError(`"${path}" is not a file`);
  return real;
}

function hidden(path: string, cause?: unknown): ResourceError {
  const expected = "expected a file of a day (20250109/…) or of a facet (facets/…), relative to the journal";
  return new ResourceError(`"${path}" can't be seen: ${expected}`, { cause });
}

function contents(real: string, path: string): string {
  const names = readdirSync(real).filter((name) => placeOf(`${path}/${name}`));
  if (names.length === 0) return "it is empty";
  const more = names.length > 30 ? `, and ${names.length - 30} more` : "";
  return `it holds ${names.toSorted().slice(0, 30).join(", ")}${more}`;
}
