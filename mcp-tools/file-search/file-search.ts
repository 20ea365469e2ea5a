/** Finds files of a work folder by their names, and lines in them. What is too much is left out, and said so. */
import { lstatSync } from "node:fs";
import { textLines } from "../../files/lines/text-lines.ts";
import { locateWorkFile, type Workplace, workFiles } from "../../journal/agents/work-files.ts";
import { globSource } from "./glob.ts";
import { LineMatcher, PatternError } from "./line-matcher.ts";
import { ToolError } from "../tool/tool-error.ts";

/** Lines and paths that are found at most. */
export const maxFound = 200;

/** Characters of a line that is searched; bytes of a file, and of all together. */
const maxLineCharacters = 4_000;
const maxFileBytes = 8 * 1024 * 1024;
const maxTotalBytes = 64 * 1024 * 1024;

export type SearchResult<T> = { found: T[]; notes: string[] };

/** The files whose path fits a glob; one without a slash fits the name alone. @throws ToolError, TextFileError */
export async function findFiles(work: Workplace, glob: string, signal?: AbortSignal): Promise<SearchResult<string>> {
  const { paths, isCut } = await workFiles(work);
  const fitting = await fittingPaths(paths, glob, maxFound + 1, signal);
  return { found: fitting.slice(0, maxFound), notes: [...tooMany(fitting.length), ...notWalked(isCut)] };
}

export type FoundLine = { path: string; line: number; text: string };

/** The lines that fit a regular expression. @throws ToolError, TextFileError */
export async function findLines(
  work: Workplace,
  { pattern, path, glob }: { pattern: string; path?: string | undefined; glob?: string | undefined },
  signal?: AbortSignal,
): Promise<SearchResult<FoundLine>> {
  const { paths, isCut } = await workFiles(work, path);
  const files = glob === undefined ? paths : await fittingPaths(paths, glob, paths.length, signal);
  const matcher = await matcherOf("pattern", pattern, signal);
  const found: FoundLine[] = [];
  const skipped: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (found.length > maxFound) break;
    if (bytes > maxTotalBytes) {
      skipped.push("the rest of the files: search below a path, or with a glob");
      break;
    }
    const read = linesOf(work, file);
    if (typeof read === "string") {
      skipped.push(`${file} (${read})`);
      continue;
    }
    bytes += read.reduce((sum, line) => sum + line.length, 0);
    const most = maxFound + 1 - found.length;
    const at = await asToolError("pattern", matcher.matching(read, most));
    found.push(...at.map((index) => ({ path: file, line: index + 1, text: read[index] ?? "" })));
  }
  const left = skipped.length > 0 ? [`not searched: ${skipped.slice(0, 20).join(", ")}`] : [];
  return { found: found.slice(0, maxFound), notes: [...tooMany(found.length), ...left, ...notWalked(isCut)] };
}

async function fittingPaths(paths: string[], glob: string, most: number, signal?: AbortSignal): Promise<string[]> {
  const matcher = await matcherOf("glob", globSource(glob), signal);
  const compared = glob.includes("/") ? paths : paths.map((path) => path.slice(path.lastIndexOf("/") + 1));
  const at = await asToolError("glob", matcher.matching(compared, most));
  return at.flatMap((index) => paths[index] ?? []);
}

const matcherOf = (argument: string, source: string, signal: AbortSignal | undefined) =>
  asToolError(argument, LineMatcher.of(source, signal ? { signal } : {}));

async function asToolError<T>(argument: string, doing: Promise<T>): Promise<T> {
  try {
    return await doing;
  } catch (error) {
    if (error instanceof PatternError) throw new ToolError(`${argument}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The lines of a file, or why they aren't searched. */
function linesOf(work: Workplace, path: string): string[] | "too long" | "no text" | "not readable" {
  try {
    const real = locateWorkFile(work, path);
    if (lstatSync(real).size > maxFileBytes) return "too long";
    const lines: string[] = [];
    for (const { text } of textLines(real, maxLineCharacters)) {
      if (text.includes("\0")) return "no text";
      lines.push(text);
    }
    return lines;
  } catch {
    // It has gone since it was listed, or may not be read.
    return "not readable";
  }
}

const tooMany = (count: number) => (count > maxFound ? [`only the first ${maxFound} are shown: search for less`] : []);
const notWalked = (isCut: boolean) => (isCut ? ["the folder has too many files: not all were looked at"] : []);
