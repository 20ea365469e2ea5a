/** Words of a search, and what of a text they are in. The same on every database, since it is decided here. Pure. */
import { stopWords } from "../../protocol/words/stop-words.ts";
import { wordsIn } from "../database/text/message-words.ts";

const mostWords = 8;
/** Characters of a passage. */
const passageCharacters = 500;

/** Whether a message asks to search: as a word of its own. */
export function asksToSearch(text: string): boolean {
  return /(?<![\p{L}\p{N}_])search(?![\p{L}\p{N}_])/iu.test(text);
}

/** As messages have them. Common words are left out, unless there are no others. */
export function queryWords(query: string): string[] {
  const words = wordsIn(query);
  const telling = words.filter((word) => !stopWords.has(word));
  return (telling.length > 0 ? telling : words).slice(0, mostWords);
}

/** How many of the words a text has. */
export function countWords(text: string, words: readonly string[]): number {
  const folded = text.toLowerCase();
  return words.filter((word) => folded.includes(word)).length;
}

/** The part of a text around the first of the words, cut between words. */
export function passageOf(text: string, words: readonly string[]): string {
  if (text.length <= passageCharacters) return text;
  const folded = text.toLowerCase();
  const found = words.map((word) => folded.indexOf(word)).filter((index) => index !== -1);
  const from = Math.max(0, Math.min(Math.min(...found, folded.length), text.length) - passageCharacters / 4);
  const piece = text.slice(from, from + passageCharacters).toWellFormed();
  return `${from > 0 ? "… " : ""}${piece}${from + passageCharacters < text.length ? " …" : ""}`;
}
