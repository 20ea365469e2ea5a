/** Where the words that were searched for stand in a text. Pure. */

export type Piece = { text: string; isFound: boolean };

/** The text in pieces, so that the found ones can be marked. */
export function foundWords(text: string, searched: string): Piece[] {
  const words = searched
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [{ text, isFound: false }];
  const pattern = new RegExp(words.map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "giu");
  const pieces: Piece[] = [];
  let at = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (index > at) pieces.push({ text: text.slice(at, index), isFound: false });
    pieces.push({ text: found, isFound: true });
    at = index + found.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isFound: false });
  return pieces;
}
