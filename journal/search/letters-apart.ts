/**
 * Scripts whose words no blanks tell apart, or whose words carry their endings joined on: each of their letters is a word of
 * the index, and a word that is looked for is a phrase of letters. So it is found wherever it stands: 東京 in 東京タワー, 회의 in
 * 회의를. `Intl.Segmenter` at indexing would cut the same word differently in other company, and keeps long names whole. Pure.
 */

/** A letter with the marks that stand on it. */
const script = ["Han", "Hiragana", "Katakana", "Hangul", "Thai", "Lao", "Khmer", "Myanmar"];
const letter = `(?=\\p{L})[${script.map((name) => `\\p{scx=${name}}`).join("")}]`;
const anyLetter = new RegExp(letter, "u");
const letters = new RegExp(`${letter}\\p{M}*`, "gu");
/** The end of another word, directly before such a letter: iPhone手机. */
const joint = new RegExp(`(?<=[\\p{L}\\p{N}\\p{M}])(?=${letter})`, "gu");

/** Stands behind each letter in the index. Pieces hold no control characters, so it can't be forged. */
const separator = "\u0003";

/** Whether a text has letters of these scripts. */
export const hasLettersApart = (text: string): boolean => anyLetter.test(text);

/** Prepares a text for the index: the tokenizer takes each of these letters for a word. */
export function lettersApart(text: string): string {
  return hasLettersApart(text) ? text.replace(letters, `$&${separator}`).replace(joint, separator) : text;
}

/** The text as it was. */
export const lettersTogether = (text: string): string => text.replaceAll(separator, "");
