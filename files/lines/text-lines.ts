/**
 * The lines of a user's text file of any size and with any bytes in it, read piece by piece and no further than a bound. It stands
 * apart from `file-lines.ts`: it follows no link, reads at once rather than in turn, and cuts lines between characters.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export type TextLine = {
  /** From 1. */
  number: number;
  text: string;
  /** Whether the line was longer than was asked for. */
  cut: boolean;
  /** Whether the file goes on behind it and isn't read any further. */
  isBound?: true;
};

const pieceBytes = 64 * 1024;

/** How much of a file is read. Reading stops the whole program meanwhile, so a file without an end must not take it down. */
export const maxTextBytes = 64 * 1024 * 1024;

/**
 * Yields the lines of a regular file, split on LF alone. Invalid UTF-8 is replaced, a last line without LF counts.
 * @throws Error of the file system; also where the path ends in a link, or in what isn't a regular file
 */
export function* textLines(path: string, maxLength = 65_536, maxBytes = maxTextBytes): Generator<TextLine> {
  // Neither led away by a link put there since the path was checked, nor stuck on a FIFO.
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error(`"${path}" is not a regular file`);
    const decoder = new TextDecoder();
    const bytes = Buffer.alloc(pieceBytes);
    const line = { number: 1, text: "", cut: false };
    for (let total = 0; ; ) {
      const count = readSync(file, bytes, 0, pieceBytes, null);
      total += count;
      const parts = (count > 0 ? decoder.decode(bytes.subarray(0, count), { stream: true }) : decoder.decode()).split(
        "\n",
      );
      for (const [index, part] of parts.entries()) {
        if (index > 0) {
          yield { ...line, text: withoutReturn(line.text) };
          Object.assign(line, { number: line.number + 1, text: "", cut: false });
        }
        const room = maxLength - line.text.length;
        line.text += part.slice(0, room);
        line.cut ||= part.length > room;
      }
      if (count === 0) break;
      if (total >= maxBytes) return yield { ...line, text: withoutReturn(line.text), cut: true, isBound: true };
    }
    if (line.text !== "") yield { ...line, text: withoutReturn(line.text) };
  } finally {
    closeSync(file);
  }
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}
