/** Whole lines of a file from its end, the last one first: what was written last is found without reading a file as large as a disk. */
import { fstatSync, readSync } from "node:fs";
import { maxFileLineBytes } from "./line-cutter.ts";

export type EndLine = {
  /** Without its LF. */
  bytes: Buffer;
  /** The offset of its first byte. */
  begin: number;
  /** The offset of the first byte behind its LF. What follows the last line is torn. */
  end: number;
};

const LF = 10;
const pieceBytes = 64 * 1024;

/** Yields the whole lines of an open file backwards, and stops at one that is longer than `maxBytes`. */
export function* linesFromEnd(file: number, maxBytes = maxFileLineBytes): Generator<EndLine> {
  const { size } = fstatSync(file);
  /** The end of the line that is being read; null as long as no LF was found. */
  let end: number | null = null;
  let parts: Buffer[] = [];
  for (let to = size; to > 0 && (end ?? size) - to <= maxBytes; ) {
    const from = Math.max(0, to - pieceBytes);
    const piece = Buffer.alloc(to - from);
    readSync(file, piece, 0, piece.length, from);
    let rest = piece.length;
    for (let at = piece.lastIndexOf(LF); at >= 0; at = piece.subarray(0, at).lastIndexOf(LF)) {
      if (end !== null)
        yield { bytes: Buffer.concat([piece.subarray(at + 1, rest), ...parts]), begin: from + at + 1, end };
      [end, rest, parts] = [from + at + 1, at, []];
    }
    if (end !== null) parts.unshift(piece.subarray(0, rest));
    if (end !== null && from === 0) yield { bytes: Buffer.concat(parts), begin: 0, end };
    to = from;
  }
}
