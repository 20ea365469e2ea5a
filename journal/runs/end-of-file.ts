/** How a run's file ends, from its last line alone: the file may be as large as a disk. */
import { closeSync, openSync } from "node:fs";
import { linesFromEnd } from "../../files/lines/lines-from-end.ts";
import { lineHash } from "../chain/hash-chain.ts";
import { parseEventLine } from "../chain/event-line.ts";
import type { RunEnd } from "../chain/run-heads.ts";

/**
 * How many whole lines a file has, which the last one says itself, and the hash of that one. Null where there is none, and
 * where it is not a line of a run: then the file is damaged, and `cortex audit verify` says so.
 */
export function endOfFile(path: string): RunEnd | null {
  const file = openSync(path, "r");
  try {
    const [last] = linesFromEnd(file).take(1);
    const lines = last && parseEventLine(last.bytes.toString("utf8"))?.seq;
    return last && lines ? { lines, head: lineHash(last.bytes) } : null;
  } finally {
    closeSync(file);
  }
}
