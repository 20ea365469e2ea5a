/** An answer to the mail of a question, in the words that every channel takes: there the word alone will do. Pure. */

const wordPattern = /^(allow|always|deny)(?: \S{8,56})?[.!]?$/i;

/** Null: the text is no such answer. @param asked the question whose mail is answered, or null */
export function answerInWords(text: string, asked: string | null): string | null {
  const [, word] = wordPattern.exec(text.split("\n", 1)[0]?.trim() ?? "") ?? [];
  return word === undefined || asked === null ? null : `${word.toLowerCase()} ${asked}`;
}
