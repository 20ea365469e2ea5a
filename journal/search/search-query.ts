/** A question in anybody's words becomes expressions of FTS5. Pure. */
import { askedWords, withoutParticle } from "./asked-words.ts";
import { hasLettersApart, lettersApart } from "./letters-apart.ts";

/** From this length a word also finds longer ones that begin with it: `heat` finds `heater`, `to` does not find `tomato`. */
const prefixLength = 4;

/** Longer words of the index that have a word as a part of them: `krankenversicherung` of `versicherung`. */
export type CompoundsOf = (word: string) => readonly string[];

/**
 * Builds the queries for FTS5, the closest first: every word, then any; each by itself before those that are parts of
 * longer words. None where there is no word in the text. Whatever the text holds, the syntax is right.
 */
export function* matchesOf(query: string, compoundsOf: CompoundsOf): Generator<string> {
  const words = askedWords(query);
  if (words.length === 0) return;
  const exact = words.map((word) => termOf(word, []));
  const all = exact.join(" AND ");
  yield all;
  const wide = words.map((word) => termOf(word, compoundsOf(word)));
  const further = new Set([wide.join(" AND "), exact.join(" OR "), wide.join(" OR ")]);
  further.delete(all);
  yield* further;
}

function termOf(word: string, compounds: readonly string[]): string {
  const forms = [phrase(word), ...formsOf(word), ...compounds.map(phrase)];
  return forms.length === 1 ? forms.join("") : `(${forms.join(" OR ")})`;
}

/** Other forms in which a word counts. The word itself counts as well, so it ranks above them. */
function formsOf(word: string): string[] {
  if (!hasLettersApart(word)) return word.length >= prefixLength ? [`${phrase(word)}*`] : [];
  const noun = withoutParticle(word);
  return noun === null ? [] : [phrase(noun)];
}

/** The tokenizer cuts it as it cuts the text. */
const phrase = (word: string) => `"${lettersApart(word)}"`;
