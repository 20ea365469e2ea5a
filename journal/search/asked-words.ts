/** The words of a question in anybody's words: those that tell something, in the order in which they were asked. Pure. */
import { segmentsOf, stopWords, wordsWithin } from "../../protocol/words/stop-words.ts";
import { plainText } from "./plain-text.ts";

/** Longer questions are cut: the first words say what is meant. */
const maxWords = 32;
/** Characters of a question. */
const maxCharacters = 16_000;
/** Characters of a word. */
const longestWord = 64;

/** Scripts without blanks that `wordsWithin` leaves whole. */
const otherSpaceless = /[\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** In lower case, each once; without common words, unless there are no others. */
export function askedWords(query: string): string[] {
  const words = wordsOf(query);
  const telling = words.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : words).slice(0, maxWords);
}

function wordsOf(query: string): string[] {
  const found = new Set<string>();
  // The classes that the tokenizer of the index makes words of, so that no quote, star or bracket gets through.
  for (const [run] of plainText(query.slice(0, maxCharacters)).matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)) {
    for (const word of otherSpaceless.test(run) ? segmentsOf(run) : wordsWithin(run))
      found.add(word.slice(0, longestWord).toWellFormed().toLowerCase());
    if (found.size >= maxWords * 4) break;
  }
  return [...found];
}

/** Particles that are written onto a noun, the longer ones first. */
const particle =
  /^(\p{Script=Hangul}{2,64})(?:에서|에게|한테|으로|까지|부터|처럼|보다|이나|은|는|이|가|을|를|의|에|와|과|도|로|만)$/u;

/** A Korean word without its particle, or null where it has none: 회의 of 회의를. */
export const withoutParticle = (word: string): string | null => particle.exec(word)?.[1] ?? null;
