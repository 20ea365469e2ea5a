/** An answer to the mail of a question, in the words that every channel takes: there the word alone will do. Pure. */

const wordPattern = /^(allow|always|deny)(?: (\S{8,56}?))?[.!]?$/i;

/** Null: the text is no such answer, as where it names another question. @param asked the question whose mail is answered, or null */
export function answerInWords(text: string, asked: string | null): string | null {
  const [, word, named = ""] = wordPattern.exec(text.split("\n", 1)[0]?.trim() ?? "") ?? [];
  const isAnswer = word !== undefined && asked?.toLowerCase().startsWith(named.toLowerCase()) === true;
  return isAnswer ? `${word.toLowerCase()} ${asked}` : null;
}
