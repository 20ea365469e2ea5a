/**
 * The memory of agents: `memory/…`, Markdown files, each with a line `> Summary: …` that says what is in it. No links,
 * no hidden names.
 */
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { EditDecision } from "../editing/edit-file.ts";
import type { FacetFile as EditedFile } from "../editing/facet-file.ts";
import { maxNameBytes } from "../../files/writing/file-names.ts";
import { inside } from "../config/paths.ts";
import { type RawLine, textOf, withLines, withText } from "../../files/lines/raw-lines.ts";
import { readLines, type Resource } from "../notes/resources.ts";
import {
  editText,
  maxTextBytes,
  refused,
  replaceText,
  rewriteText,
  type Rewritten,
  TextFileError,
} from "../editing/text-edits.ts";
import { type TextLine, textLines } from "../../files/lines/text-lines.ts";
import type { CallKey, Edit } from "../editing/tool-calls.ts";

/** `path` is relative to `memory/`, as everywhere here. */
export type MemoryFile = { path: string; bytes: number; summary?: string };

export const maxMemoryFiles = 1000;
const maxDepth = 8;
const maxPathCharacters = 300;

/** Characters of a line that are searched. */
const longestLine = 65_536;

/** A summary stands in one of the first lines. */
const summaryWithin = 40;
const summaryStart = "> Summary:";
const maxSummaryCharacters = 500;

/** Segments without `..`, hidden names or characters that control, hide or turn; the last ends in `.md`. */
const pathPattern =
  /^(?:(?!\.)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]{1,100}\/)*(?!\.)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]{1,100}\.md$/u;

const folder = (journal: string) => join(realpathSync(journal), "memory");

/** All files, by their paths; more than there may be are left out. None without the folder. */
export function listMemory(journal: string): MemoryFile[] {
  return paths(folder(journal), "", 1)
    .slice(0, maxMemoryFiles)
    .flatMap((path) => described(folder(journal), path));
}

/** Yields each file with its lines, and when it was last written, in ms. One that can't be read, or has just gone, is left out. */
export function* memoryTexts(journal: string): Generator<{ path: string; ts: number; lines: TextLine[] }> {
  const root = folder(journal);
  for (const path of paths(root, "", 1).slice(0, maxMemoryFiles)) {
    try {
      const { mtimeMs } = lstatSync(join(root, path));
      yield { path, ts: Math.trunc(mtimeMs), lines: [...textLines(join(root, path), longestLine, maxTextBytes)] };
    } catch {
      continue;
    }
  }
}

/**
 * Reads lines of a file, the first and the last included; a long one is cut.
 * @throws TextFileError, ResourceError
 */
export function readMemory(journal: string, path: string, lines: { from?: number; to?: number } = {}): Resource {
  return readLines(existing(journal, path).real, path, lines);
}

/** All of a file; null: there is none. @throws TextFileError */
export function readWholeMemory(journal: string, path: string): string | null {
  const { real } = memoryFile(journal, path);
  const file = lstatSync(real, { throwIfNoEntry: false });
  if (!file) return null;
  if (!file.isFile() || file.size > maxTextBytes)
    throw new TextFileError(`"${path}" is not a file of at most ${maxTextBytes} bytes`);
  return readFileSync(real, "utf8").toWellFormed();
}

/** Writes a file, new or in place of what it held. @throws TextFileError, FacetFileError */
export async function writeMemory(journal: string, path: string, text: string, once?: CallKey): Promise<Rewritten> {
  return await rewriteText(forWriting(journal, path), text, once);
}

/** Replaces a text that stands exactly once in a file. @throws TextFileError, FacetFileError */
export async function patchMemory(
  journal: string,
  path: string,
  change: { oldText: string; newText: string },
  once?: CallKey,
): Promise<Edit> {
  return await replaceText(existing(journal, path), change, once);
}

/**
 * Adds an entry at the end of a file, which it makes where there is none.
 * @param summary what the file's line of that name shall say from now on
 * @throws TextFileError, FacetFileError
 */
export async function appendMemory(
  journal: string,
  path: string,
  { entry, summary }: { entry: string; summary?: string | undefined },
  once?: CallKey,
): Promise<Edit> {
  const file = forWriting(journal, path);
  const texts = entry
    .toWellFormed()
    .replace(/(?<![\r\n])[\r\n]+$/, "")
    .split(/\r\n|\r|\n/);
  const append = (lines: RawLine[]): EditDecision => {
    const begun = summary === undefined ? lines : withSummary(lines, summary.toWellFormed());
    return {
      edit: { path, line: begun.length + 1, text: (texts[0] ?? "").slice(0, 200), changed: true },
      lines: withLines(begun, texts),
    };
  };
  return await editText(file, append, once);
}

/** Replaces the line with the summary, or puts one below the title. */
function withSummary(lines: RawLine[], summary: string): RawLine[] {
  const said = `${summaryStart} ${summary}`;
  const at = lines.slice(0, summaryWithin).findIndex((line) => textOf(line).startsWith(summaryStart));
  if (at !== -1) return withText(lines, at + 1, said);
  const [title, ...rest] = lines;
  if (!title || !textOf(title).startsWith("# ")) return [...withLines([], [said, ""]), ...lines];
  return [
    ...withLines([title], ["", said]),
    ...(rest[0] && textOf(rest[0]) !== "" ? withLines([], [""]) : []),
    ...rest,
  ];
}

/** Where a file stands, there or not. @throws TextFileError */
function memoryFile(journal: string, path: string): EditedFile {
  const names = path.length <= maxPathCharacters ? path.split("/") : [];
  const areFit = names.length <= maxDepth && names.every((name) => Buffer.byteLength(name) <= maxNameBytes);
  const isFit = names.length > 0 && areFit && pathPattern.test(path);
  if (!isFit)
    throw new TextFileError(
      `"${path.slice(0, maxPathCharacters)}" is not a path of the memory: expected one such as people/anna.md, relative to it, without hidden names, at most ${maxDepth} deep, each name at most ${maxNameBytes} bytes`,
    );
  const straight = join(folder(journal), path);
  let real: string;
  try {
    real = inside(journal, join("memory", path));
  } catch (error) {
    throw new TextFileError(`"${path}" can't be used: it, or a folder on the way to it, is a link or not a folder`, {
      cause: error,
    });
  }
  if (real !== straight)
    throw new TextFileError(`"${path}" can't be used: it, or a folder on the way to it, is a link`);
  return { journal: realpathSync(journal), path, real };
}

function existing(journal: string, path: string): EditedFile {
  const file = memoryFile(journal, path);
  const stats = lstatSync(file.real, { throwIfNoEntry: false });
  if (!stats) throw new TextFileError(`"${path}" does not exist: memory_list gives the files that there are`);
  if (!stats.isFile()) throw new TextFileError(`"${path}" is not a file: memory_list gives the files that there are`);
  return file;
}

function forWriting(journal: string, path: string): EditedFile {
  const file = memoryFile(journal, path);
  const isNew = !lstatSync(file.real, { throwIfNoEntry: false });
  if (isNew && paths(folder(journal), "", 1).length >= maxMemoryFiles)
    throw new TextFileError(`the memory has ${maxMemoryFiles} files already: add to one of them`);
  try {
    mkdirSync(folder(journal), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw refused(error, "the memory's folder can't be made");
  }
  return file;
}

/** At most one more than there may be: a folder with a million of them isn't read to its end. */
function paths(root: string, below: string, depth: number): string[] {
  const found: string[] = [];
  for (const entry of entriesOf(join(root, below))) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile() && pathPattern.test(path)) found.push(path);
    if (entry.isDirectory() && !entry.name.startsWith(".") && depth < maxDepth)
      found.push(...paths(root, path, depth + 1));
    if (found.length > maxMemoryFiles) break;
  }
  return found;
}

function entriesOf(path: string): Dirent[] {
  try {
    // A folder that is a link would lead out.
    if (!lstatSync(path).isDirectory()) return [];
    return readdirSync(path, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

/** Nothing where it has just gone. */
function described(root: string, path: string): MemoryFile[] {
  const real = join(root, path);
  try {
    const summary = summaryOf(real);
    return [{ path, bytes: lstatSync(real).size, ...(summary && { summary }) }];
  } catch {
    return [];
  }
}

function summaryOf(real: string): string | undefined {
  for (const { number, text } of textLines(real, summaryStart.length + maxSummaryCharacters)) {
    if (text.startsWith(summaryStart)) return text.slice(summaryStart.length).trim();
    if (number >= summaryWithin) return undefined;
  }
  return undefined;
}
