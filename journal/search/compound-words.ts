/**
 * Long words of the index, so that a word is found as a part of them: Versicherung in Krankenversicherung. Each stands there
 * once, however many pieces have it, so that this costs little beside the index itself.
 */
import type { DatabaseSync } from "node:sqlite";

/** Letters of scripts that have capitals: the others don't join words, or each of their letters is looked for. */
const longWord = /[\p{Lu}\p{Ll}][\p{Lu}\p{Ll}\p{M}]{7,63}/gu;
/** A shorter one is a part of too many. */
const part = /^[\p{Lu}\p{Ll}\p{M}]{5,64}$/u;
/** In letters, what has to stand before a part: height isn't made of eight. */
const shortestBefore = 3;
/** Compounds of a word that are looked for, the shortest first. */
const mostCompounds = 24;
/** So many are looked at for that. */
const mostLooked = 200;
/** So many words are remembered as known, lest each is asked for again. */
const mostKnown = 20_000;

/** Returns what notes the long words of a text. */
export function longWordsTo(database: DatabaseSync): (text: string) => void {
  const add = database.prepare("INSERT OR IGNORE INTO long_words (word) VALUES (?)");
  const addParts = database.prepare("INSERT INTO word_parts (rowid, word) VALUES (?, ?)");
  const known = new Set<string>();
  return (text) => {
    for (const [word] of text.matchAll(longWord)) {
      const lower = word.toLowerCase();
      if (known.has(lower)) continue;
      if (known.size >= mostKnown) known.clear();
      known.add(lower);
      const { changes, lastInsertRowid } = add.run(lower);
      if (changes > 0) addParts.run(lastInsertRowid, lower);
    }
  };
}

/** Returns what looks up the compounds that a word is a later part of, the shortest first. */
export function compoundsIn(database: DatabaseSync): (word: string) => string[] {
  const find = database.prepare(
    `SELECT long_words.word FROM word_parts JOIN long_words ON long_words.id = word_parts.rowid
     WHERE word_parts MATCH $part ORDER BY length(long_words.word), long_words.id LIMIT ${mostLooked}`,
  );
  return (word) => {
    if (!part.test(word)) return [];
    const plain = withoutMarks(word);
    const isMadeOf = (found: string) => withoutMarks(found).indexOf(plain, shortestBefore) !== -1;
    const rows = find.all({ $part: `"${word}"` }).map((row) => String(row["word"]));
    return rows.filter(isMadeOf).slice(0, mostCompounds);
  };
}

const withoutMarks = (word: string) => word.normalize("NFD").replace(/\p{M}/gu, "");
