/**
 * A styled text in parts that Telegram takes: cut at a paragraph, else a line, else a word, never inside a character. A style
 * that is cut goes on in the next part, so each part is whole by itself. The same parts each time. Pure.
 */
import { htmlOf } from "./html.ts";
import { cutOut, type Piece, textOf } from "./styled-text.ts";

/** From the Bot API: 4096 characters of text, without its markup. Counted as UTF-16 has them, which is never less. */
export const maxPart = 4096;
/** Characters of a part with its markup: what Telegram takes of that, it doesn't say. */
export const maxHtml = 12_000;
/** From Telegram: styles of a message beyond it are dropped. */
const maxEntities = 100;

/** Where a text may be cut, the best first. What is cut at goes with what stands before it. */
const boundaries = ["\n\n", "\n", " "];

export function splitStyled(pieces: readonly Piece[], max = maxPart): Piece[][] {
  const text = textOf(pieces);
  const end = text.trimEnd().length;
  const parts: Piece[][] = [];
  for (let from = beginAt(pieces, text, 0); from < end; ) {
    let to = end - from <= max ? end : from + cutAt(text.slice(from, from + max + 1), max);
    while (!fits(cutOut(pieces, from, to)))
      to = from + cutAt(text.slice(from, to), Math.max(2, Math.floor((to - from) * 0.75)));
    const { length } = text.slice(from, to).trimEnd();
    if (length > 0) parts.push(cutOut(pieces, from, from + length));
    from = beginAt(pieces, text, to);
  }
  return parts;
}

function fits(pieces: readonly Piece[]): boolean {
  const { html, entities } = htmlOf(pieces);
  // Of two characters nothing more can be cut off.
  return (html.length <= maxHtml && entities <= maxEntities) || textOf(pieces).length <= 2;
}

/** Where the part behind a cut begins: spaces at the begin of a line of code belong to it, others don't. */
function beginAt(pieces: readonly Piece[], text: string, at: number): number {
  const isCode = cutOut(pieces, at, at + 1)[0]?.styles.some(({ tag }) => tag === "pre");
  const rest = text.slice(at);
  return at + rest.length - rest.replace(isCode ? /^\n+/ : /^\s+/, "").length;
}

/** How many characters go into a part. */
function cutAt(text: string, room: number): number {
  for (const boundary of boundaries) {
    const at = text.lastIndexOf(boundary, room - boundary.length);
    // A cut far in front would leave a part with next to nothing.
    if (at > room / 4) return at + boundary.length;
  }
  const isInsideCharacter = /[\uD800-\uDBFF]/.test(text[room - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[room] ?? "");
  return isInsideCharacter ? room - 1 : room;
}
