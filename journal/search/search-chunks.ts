/** The lines of a file become the pieces that search ranks: paragraphs with their headings, or records of JSONL. Pure. */
import { z } from "zod";
import type { TextLine } from "../../files/lines/text-lines.ts";
import { parseLine } from "../../protocol/json/parse-json.ts";
import { plainText } from "./plain-text.ts";

export type Chunk = {
  /** The number of its first line in the file. */
  line: number;
  /** Lines joined by LF, so that the line of a match can be counted; without control characters. */
  body: string;
  /** The words of the file's path, and the headings above the piece. */
  heading: string;
};

/** Lengths in characters: a blank line ends a piece from the first on, any line from the second on. */
const enough = 400;
const full = 1_200;
/** A longer line becomes pieces of this length. */
const longestLine = 2_000;

/** Cuts a file into pieces. */
export function chunksOf(path: string, lines: Iterable<TextLine>): Generator<Chunk> {
  return path.endsWith(".jsonl") ? recordChunks(path, lines) : textChunks(path, lines);
}

function* recordChunks(path: string, lines: Iterable<TextLine>): Generator<Chunk> {
  for (const { number, text } of lines) {
    const body = plainText(recordText(text)).slice(0, 8_000);
    if (body.trim() !== "") yield { line: number, body, heading: path };
  }
}

const Planned = z.looseObject({ occurred: z.literal(false) });

/** The values of a record without its keys. A line that is no JSON, a torn one for instance, stays as it is. */
function recordText(line: string): string {
  const record = parseLine(line);
  if (record === undefined) return line;
  const values = [...leaves(record, 0)].join(" · ");
  return Planned.safeParse(record).success ? `${values} · (planned)` : values;
}

function* leaves(value: unknown, depth: number): Generator<string> {
  if (typeof value === "string") yield value.replaceAll("\n", " ");
  else if (typeof value === "number") yield String(value);
  else if (typeof value === "object" && value !== null && depth < 16)
    for (const inner of Object.values(value)) yield* leaves(inner, depth + 1);
}

function* textChunks(path: string, lines: Iterable<TextLine>): Generator<Chunk> {
  const headings: string[] = [];
  let open = { line: 0, rows: [] as string[], length: 0, hasText: false };
  const close = function* (): Generator<Chunk> {
    if (open.hasText) yield { line: open.line, body: open.rows.join("\n"), heading: [path, ...headings].join(" ") };
    open = { line: 0, rows: [], length: 0, hasText: false };
  };
  for (const { number, text } of lines) {
    const row = plainText(text);
    const [, marks, title] = (path.endsWith(".md") && /^(#{1,6})\s(.*)$/s.exec(row)) || [];
    const isBlank = row.trim() === "";
    if ((title !== undefined && open.hasText) || open.length >= full || (isBlank && open.length >= enough))
      yield* close();
    if (marks !== undefined && title !== undefined) headings.splice(marks.length - 1, headings.length, title.trim());
    if (row.length > longestLine) {
      yield* close();
      for (const body of cutBetweenWords(row)) yield { line: number, body, heading: [path, ...headings].join(" ") };
      continue;
    }
    if (open.rows.length === 0) {
      if (isBlank) continue;
      open.line = number;
    }
    open.rows.push(row);
    open.length += row.length;
    // A heading waits for the text under it.
    open.hasText ||= !isBlank && title === undefined;
  }
  if (open.rows.length > 0) open.hasText = true;
  yield* close();
}

function* cutBetweenWords(row: string): Generator<string> {
  for (let at = 0; at < row.length; ) {
    // Not in the whole row: without a blank it would be looked through again for each piece.
    const rest = row.slice(at, at + longestLine + 1);
    const end = at + (rest.length > longestLine ? cutOf(rest) : rest.length);
    yield row.slice(at, end);
    at = end;
  }
}

/** A blank, or what ends a sentence or a part of it where no blank follows. */
const sentenceEnds = /[。．！？；：，、…]/g;

/** The offset at which a text that is too long by one character ends best. */
function cutOf(text: string): number {
  const space = text.lastIndexOf(" ");
  if (space > 0) return space;
  const [stop] = [...text.slice(0, longestLine).matchAll(sentenceEnds)].slice(-1);
  if (stop) return stop.index + 1;
  const isHalved = /[\ud800-\udbff]/.test(text.charAt(longestLine - 1));
  return isHalved ? longestLine - 1 : longestLine;
}
