/** How a run's file ends, from its last line alone: the file may be as large as a disk. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { lineHash } from "../chain/hash-chain.ts";
import { parseEventLine } from "../chain/event-line.ts";
import type { RunEnd } from "../chain/run-heads.ts";

const pieceBytes = 256 * 1024;
/** Lines of runs are shorter. */
const maxLineBytes = 64 * 1024 * 1024;
const LF = 10;

/**
 * How many whole lines a file has, which the last one says itself, and the hash of that one. Null where there is none, and
 * where it is not a line of a run: then the file is damaged, and `cortex audit verify` says so.
 */
export function endOfFile(path: string): RunEnd | null {
  const file = openSync(path, "r");
  try {
    const line = lastLine(file);
    const lines = line === null ? null : parseEventLine(line.toString("utf8"))?.seq;
    return line === null || !lines ? null : { lines, head: lineHash(line) };
  } finally {
    closeSync(file);
  }
}

/** The last whole line without its LF; what follows it is torn. */
function lastLine(file: number): Buffer | null {
  let end: number | null = null;
  const parts: Buffer[] = [];
  let length = 0;
  for (let to = fstatSync(file).size; to > 0 && length <= maxLineBytes; ) {
    const from = Math.max(0, to - pieceBytes);
    const piece = Buffer.alloc(to - from);
    readSync(file, piece, 0, piece.length, from);
    if (end === null) {
      const at = piece.lastIndexOf(LF);
      if (at >= 0) end = from + at;
      length += at < 0 ? piece.length : 0;
    }
    if (end !== null) {
      const rest = piece.subarray(0, Math.min(piece.length, end - from));
      const begin = rest.lastIndexOf(LF) + 1;
      parts.unshift(rest.subarray(begin));
      length += rest.length - begin;
      if (begin > 0 || from === 0) return Buffer.concat(parts);
    }
    to = from;
  }
  return null;
}
