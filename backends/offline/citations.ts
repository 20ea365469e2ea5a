/** Sources that a text cites, as an answer does that is handed on for review: `… (20250109/notes.md:12)`. Pure. */
import { keywordsOf } from "./keywords.ts";
import { wordsIn } from "./passages.ts";

/** `claim`: the line that cites it. */
export type Citation = { path: string; line: number; claim: string };

const maxCitations = 10;

/** Below this many words a line claims nothing that could be compared. */
const fewWords = 3;

/** The first sources of a text, each once. */
export function citationsIn(text: string): Citation[] {
  const found = new Map<string, Citation>();
  for (const claim of text.split("\n")) {
    for (const token of claim.split(/[\s()[\]`"',;]+/)) {
      const [, path, line] = /^([^:]{1,300}\.(?:md|txt|jsonl)):(\d{1,7})\.?$/.exec(token) ?? [];
      if (path === undefined || line === undefined) continue;
      const source = `${path}:${line}`;
      if (!found.has(source)) found.set(source, { path, line: Number(line), claim });
      if (found.size === maxCitations) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** Whether a source holds the words of the line that cites it; undefined where the line has too few to tell. */
export function bearsOut(source: string, { claim }: Citation): boolean | undefined {
  const words = keywordsOf(claim);
  if (words.length < fewWords) return undefined;
  return wordsIn(source, words) >= words.length / 2;
}
