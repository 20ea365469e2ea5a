/**
 * Pieces of mrkdwn become messages that Slack takes: cut between pieces, else at a line, else at a word, and never inside of a
 * link, an entity or a character. A block of code that is cut is closed, and opened again in the next message. Pure.
 */
import type { Piece } from "./mrkdwn.ts";

/** Longer texts are cut by Slack itself, wherever that is. Counted as UTF-16 has them, which is never less. */
export const maxPart = 4000;

const fence = "```";

export function messagesOf(pieces: readonly Piece[], max = maxPart): string[] {
  const messages: string[] = [];
  let open = "";
  for (const text of pieces.flatMap((piece) => fitting(piece, max))) {
    const joined = open === "" ? text : `${open}\n\n${text}`;
    if (joined.length <= max) open = joined;
    else {
      messages.push(open);
      open = text;
    }
  }
  return open === "" ? messages : [...messages, open];
}

function fitting({ kind, text }: Piece, max: number): string[] {
  if (kind === "text") return cutText(text.trim(), max);
  return cutText(text, max - 2 * (fence.length + 1), true).map((part) => `${fence}\n${part}\n${fence}`);
}

/** Cuts an escaped text. @param isCode its lines keep the spaces that they begin with */
export function cutText(text: string, max: number, isCode = false): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > max) {
    const cut = cutAt(rest, max);
    parts.push(rest.slice(0, cut).trimEnd());
    rest = isCode ? rest.slice(cut).replace(/^\n/, "") : rest.slice(cut).trimStart();
  }
  return [...parts, rest].filter((part) => part.trim() !== "");
}

/** Where a text may be cut, the best first. */
const boundaries = ["\n\n", "\n", " "];

function cutAt(text: string, room: number): number {
  for (const boundary of boundaries) {
    const at = wholeUpTo(text, text.lastIndexOf(boundary, room - 1));
    // A cut far in front would leave a part with next to nothing.
    if (at > room / 4) return at;
  }
  return wholeUpTo(text, room) || room;
}

/** The place, or the one in front of the link, the entity or the character that it would cut. */
function wholeUpTo(text: string, at: number): number {
  if (at <= 0) return 0;
  const link = text.lastIndexOf("<", at - 1);
  if (link > text.lastIndexOf(">", at - 1)) return link;
  const entity = text.lastIndexOf("&", at - 1);
  if (entity >= 0 && at - entity < 5 && !text.slice(entity, at).includes(";")) return entity;
  const isInsideCharacter = /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
  return isInsideCharacter ? at - 1 : at;
}
