/**
 * Where in an agent's raw output its run's file stands. An entry `<seq> <offset> <skip>` says: from that line of the file
 * on, lines are the plain events of the output behind that offset, one each, the first `skip` of which stand in the file
 * already. It is written before the line that it speaks of, so after a crash at any point the last entry that the file
 * has reached tells where to go on.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { appendText } from "../../files/append-whole.ts";

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

/** How much is read of the entries' end at first: many times what a file lags behind them. */
const edgeBytes = 64 * 1024;

/** Where to go on, when the file's next line is `nextSeq`. */
export function rawPosition(attemptFolder: string, nextSeq: number): RawPosition {
  let file: number;
  try {
    file = openSync(join(attemptFolder, "cursor"), "r");
  } catch {
    return { offset: 0, skip: 0 }; // no entry was ever written: nothing of the output stands in the file
  }
  try {
    const { size } = fstatSync(file);
    for (let length = edgeBytes; ; length *= 8) {
      const from = Math.max(0, size - length);
      const position = lastPosition(textFrom(file, from, size), from > 0, nextSeq);
      if (position || from === 0) return position ?? { offset: 0, skip: 0 };
    }
  } finally {
    closeSync(file);
  }
}

/** The last entry that the file has reached. @param isCut the first piece of a line may be the rest of one */
export function lastPosition(text: string, isCut: boolean, nextSeq: number): RawPosition | null {
  let position: RawPosition | null = null;
  for (const line of text.split("\n").slice(isCut ? 1 : 0, -1)) {
    const [seq, offset, skip] = line.split(" ").map(Number);
    if (seq === undefined || offset === undefined || skip === undefined || seq > nextSeq) continue;
    position = { offset, skip: skip + nextSeq - seq };
  }
  return position;
}

function textFrom(file: number, from: number, to: number): string {
  const bytes = Buffer.alloc(to - from);
  return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, from));
}
