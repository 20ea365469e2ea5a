/** A long text as its head and its tail, with a line between them that says what is left out. Pure. */
import { textTokens } from "./text-tokens.ts";

const mark = "\n[… left out here: ";

/** Part of the room for the head. */
const shareOfHead = 0.6;

/**
 * Shortens a text to so many tokens, by the estimate; a text that fits stays.
 * @param advice how to come by the rest
 */
export function headAndTail(text: string, mostTokens: number, advice = ""): string {
  const tokens = textTokens(text);
  if (tokens <= mostTokens) return text;
  let characters = Math.floor((text.length * mostTokens) / tokens);
  for (;;) {
    const head = text.slice(0, Math.floor(characters * shareOfHead)).toWellFormed();
    const tail = text.slice(text.length - Math.floor(characters * (1 - shareOfHead))).toWellFormed();
    const left = text.length - head.length - tail.length;
    const short = `${head}${mark}${left} characters.${advice === "" ? "" : ` ${advice}`} …]\n${tail}`;
    if (characters < 50 || textTokens(short) <= mostTokens) return short;
    characters = Math.floor(characters * 0.85);
  }
}

/** Whether a text is what was made of another one. */
export function isShortenedOf(text: string, whole: string): boolean {
  const at = text.indexOf(mark);
  return at > 0 && whole.startsWith(text.slice(0, at));
}
