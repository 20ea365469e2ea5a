/** How a run's file ends: read in pieces, since it may be as large as a disk. */
import { closeSync, openSync, readSync } from "node:fs";
import { createHash } from "node:crypto";
import { hashDigits } from "./hash-chain.ts";
import type { RunEnd } from "./run-heads.ts";

const pieceBytes = 256 * 1024;

/** How many whole lines a file has, and the hash of the last; null where there is none. */
export function endOfFile(path: string): RunEnd | null {
  const file = openSync(path, "r");
  try {
    const piece = Buffer.alloc(pieceBytes);
    let hashing = createHash("sha256");
    let lines = 0;
    let head = "";
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      let from = 0;
      for (let to = piece.indexOf(10); to >= 0 && to < read; to = piece.indexOf(10, from)) {
        head = hashing.update(piece.subarray(from, to)).digest("hex").slice(0, hashDigits);
        hashing = createHash("sha256");
        lines++;
        from = to + 1;
      }
      hashing.update(piece.subarray(from, read));
    }
    return lines === 0 ? null : { lines, head };
  } finally {
    closeSync(file);
  }
}
