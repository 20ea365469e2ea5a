/** A text with its styles, of those that Telegram knows: pieces of text, each with the styles that hold for it. Pure. */

/** One object for each place in the text: two quotes one behind the other are two. */
export type Style =
  | { tag: "b" | "i" | "s" | "code" | "blockquote" }
  | { tag: "pre"; language: string }
  | { tag: "a"; href: string };

/** @field styles the outermost first */
export type Piece = { text: string; styles: readonly Style[] };

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("");

/** The pieces between two places of their text. */
export function cutOut(pieces: readonly Piece[], from: number, to: number): Piece[] {
  const found: Piece[] = [];
  let at = 0;
  for (const { text, styles } of pieces) {
    const part = text.slice(Math.max(0, from - at), Math.max(0, to - at));
    if (part !== "") found.push({ text: part, styles });
    at += text.length;
  }
  return found;
}

/** Styles with one more inside of them, as far as Telegram lets it stand there. Its code holds no style, and a quote no quote. */
export function within(styles: readonly Style[], style: Style): readonly Style[] {
  if (styles.some(({ tag }) => tag === style.tag || tag === "pre")) return styles;
  if (style.tag === "pre") return [...styles.filter(({ tag }) => tag === "blockquote"), style];
  if (style.tag !== "code") return [...styles, style];
  // A link whose text is code stays a link.
  return styles.some(({ tag }) => tag === "a") ? styles : [...styles.filter(({ tag }) => tag === "blockquote"), style];
}
