/** Search of what agents remember. The files are read each time: they are few, and change with what is learned. */
import { setImmediate } from "node:timers/promises";
import { memoryTexts } from "../agents/memory.ts";
import { chunksOf } from "./search-chunks.ts";
import { snippetOf } from "./search-snippet.ts";
import { bestMatches, type Matched, matcherOf } from "./text-matcher.ts";

export type MemoryHit = {
  /** Relative to `memory/`. */
  path: string;
  /** From 1. */
  line: number;
  /** When the file was last written, in ms. */
  ts: number;
  snippet: string;
};

/** `isCut`: some files were left out. */
export type MemorySearch = { hits: MemoryHit[]; isCut: boolean };

/** So many characters are looked through. */
const mostCharacters = 64 * 1024 * 1024;

type Passage = Omit<MemoryHit, "snippet"> & Matched & { body: string };

/** Finds passages with any of some words, those with all of them first. */
export async function searchMemory(
  journal: string,
  { query, limit }: { query: string; limit: number },
): Promise<MemorySearch> {
  const matcher = matcherOf(query);
  if (!matcher) return { hits: [], isCut: false };
  const found: Passage[] = [];
  let characters = 0;
  let total = 0;
  for (const { path, ts, lines } of memoryTexts(journal)) {
    for (const { line, body, heading } of chunksOf(path, lines)) {
      total += 1;
      characters += body.length;
      // The heading counts, too: it says what the passage is about.
      const matched = matcher.match(`${heading}\n${body}`);
      if (matched) found.push({ path, ts, line, body, ...matched });
    }
    if (characters > mostCharacters) break;
    await setImmediate();
  }
  const hits = bestMatches(found, { total, limit }).map(({ path, ts, line, body }) => {
    const { lineOffset, text } = snippetOf(matcher.marked(body));
    return { path, line: line + lineOffset, ts, snippet: text };
  });
  return { hits, isCut: characters > mostCharacters };
}
