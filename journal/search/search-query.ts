/** A question in anybody's words becomes an expression of FTS5. Pure. */

import { stopWords } from "../../protocol/words/stop-words.ts";

/** The expression that asks for every word, and the one that is content with any. The same text where there is one word. */
export type Match = { all: string; any: string };

/** Longer questions are cut: the first words say what is meant. */
const maxWords = 32;

/** From this length a word also finds longer ones that begin with it: `heat` finds `heater`, `to` does not find `tomato`. */
const prefixLength = 4;

/** What FTS5 should look for, or undefined if there is no word in the text. Whatever the text holds, the syntax is right. */
export function matchOf(query: string): Match | undefined {
  const words = wordsOf(query);
  const telling = words.filter((word) => !stopWords.has(word));
  const terms = (telling.length > 0 ? telling : words).slice(0, maxWords).map(term);
  if (terms.length === 0) return undefined;
  return { all: terms.join(" AND "), any: terms.join(" OR ") };
}

function wordsOf(query: string): string[] {
  const found = new Set<string>();
  // The classes that the tokenizer `unicode61` makes words of, so that no quote, star or bracket gets through.
  for (const [word] of query.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)) {
    found.add(word.slice(0, 64).toLowerCase());
    if (found.size >= maxWords * 4) break;
  }
  return [...found];
}

function term(word: string): string {
  // The whole word counts twice, so it ranks above its prefix.
  return word.length >= prefixLength ? `("${word}" OR "${word}"*)` : `"${word}"`;
}
