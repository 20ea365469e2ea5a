/** The cleaning of outside text: no characters that control, hide or reorder, and none of our own marks. Pure. */

/** Cc, Cf, Zl and Zp, but what text is laid out with: they hide words, turn their direction, or end lines unseen. */
const invisible = /(?![\n\t\r])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of a sender, for a prompt. */
export function visible(text: string): string {
  return text.replace(invisible, "");
}

/** A field of a sender, such as an id: one line. */
export function visibleLine(text: string): string {
  return visible(text)
    .replace(/[\n\t\r]+/g, " ")
    .trim();
}
