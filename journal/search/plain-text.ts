/** A text as it is indexed, looked for and shown: one spelling for what is written alike. Pure. */

/** Vowel signs and the stretching of letters, which Arabic and Hebrew may leave out. */
const optionalSigns = /[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|[\u064b-\u065f]|\u0640|\u0670/g;
/** Letters and digits of the width of a Han character, and Katakana of half of it. */
const otherWidths = /[\uff01-\uff9f]+/g;
/** Nothing is to be done to most lines. */
const printableAscii = /^[\x20-\x7e]*$/;

/**
 * Composes letters with their marks, and leaves out what steers a terminal, hides text or turns its direction. Whatever the
 * text holds, there are no control characters in the result: each is a blank.
 */
export function plainText(text: string): string {
  if (printableAscii.test(text)) return text;
  const visible = text.replace(/\p{Cc}/gu, " ").replace(/\p{Cf}/gu, "");
  return visible
    .replace(otherWidths, (letters) => letters.normalize("NFKC"))
    .normalize("NFC")
    .replace(optionalSigns, "");
}
