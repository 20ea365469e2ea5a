/**
 * Where in an agent's raw output its run's file stands. An entry `<seq> <offset> <skip>` says: from that line of the file
 * on, lines are the plain events of the output behind that offset, one each, the first `skip` of which stand in the file
 * already. It is written before the line that it speaks of, so after a crash at any point the last entry that the file
 * has reached tells where to go on.
 */
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { linesFromEnd } from "../../files/lines/lines-from-end.ts";
import { appendText } from "../../files/writing/append-whole.ts";

export type RawPosition = {
  /** Where reading begins. */
  offset: number;
  /** How many plain events from there stand in the file already. */
  skip: number;
};

/** Appends an entry: two that a full disk had fused would be a third. */
export function noteRawPosition(attemptFolder: string, nextSeq: number, position: RawPosition): Promise<void> {
  return appendText(join(attemptFolder, "cursor"), `${nextSeq} ${position.offset} ${position.skip}\n`, 0o600);
}

/** Where to go on, when the file's next line is `nextSeq`. */
export function rawPosition(attemptFolder: string, nextSeq: number): RawPosition {
  let file: number;
  try {
    file = openSync(join(attemptFolder, "cursor"), "r");
  } catch {
    return { offset: 0, skip: 0 }; // no entry was ever written: nothing of the output stands in the file
  }
  try {
    return lastPosition(
      linesFromEnd(file).map(({ bytes }) => bytes.toString("latin1")),
      nextSeq,
    );
  } finally {
    closeSync(file);
  }
}

/** The last entry that the file has reached. @param entries from the last one on */
export function lastPosition(entries: Iterable<string>, nextSeq: number): RawPosition {
  for (const entry of entries) {
    const [seq, offset, skip] = entry.split(" ").map(Number);
    if (seq === undefined || offset === undefined || skip === undefined || seq > nextSeq) continue;
    return { offset, skip: skip + nextSeq - seq };
  }
  return { offset: 0, skip: 0 };
}
