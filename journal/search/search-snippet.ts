/** The line of a found piece that says most, and the words around it. Pure. */
import { lettersTogether } from "./letters-apart.ts";

/**
 * The marks that search puts around a word that matched. Pieces hold no control characters, so these can't be forged.
 */
export const mark = { open: "\u0001", close: "\u0002" } as const;

const markedWord = new RegExp(`${mark.open}([^${mark.close}]*)${mark.close}`, "g");

/** Characters of a snippet. */
const length = 300;

/** From a piece with its matches marked: how many lines below the first the best one is, and the text from there. */
export function snippetOf(marked: string): { lineOffset: number; text: string } {
  const rows = lettersTogether(marked).split("\n");
  const scores = rows.map(countWords);
  const best = Math.max(0, scores.indexOf(Math.max(...scores)));
  const row = rows[best] ?? "";
  const position = Math.max(0, row.indexOf(mark.open));
  // A long line is shown from shortly before its first match.
  const start = row.length > length && position > length / 3 ? wordStart(row, position - Math.round(length / 3)) : 0;
  const rest = plain([row.slice(start), ...rows.slice(best + 1)].join(" "));
  const cut = rest.length > length ? `${withoutHalves(rest.slice(0, wordEnd(rest, length)))} …` : rest;
  return { lineOffset: best, text: start > 0 ? `… ${cut}` : cut };
}

/** How many different words matched in a line. */
function countWords(row: string): number {
  return new Set([...row.matchAll(markedWord)].map(([, word = ""]) => word.toLowerCase())).size;
}

function plain(text: string): string {
  return withoutHalves(text.replaceAll(mark.open, "").replaceAll(mark.close, "").replace(/\s+/g, " ").trim());
}

/** Leaves out the half of a character that a cut has left at an end. */
const withoutHalves = (text: string) => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");

function wordStart(text: string, from: number): number {
  const space = text.indexOf(" ", from);
  return space >= 0 && space - from < 40 ? space + 1 : from;
}

function wordEnd(text: string, to: number): number {
  const space = text.lastIndexOf(" ", to);
  return space > to - 40 ? space : to;
}
