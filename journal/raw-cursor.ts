/**
 * Where in an agent's raw output its run's file stands. An entry `<seq> <offset> <skip>` says: from that line of the file
 * on, lines are the plain events of the output behind that offset, one each, the first `skip` of which stand in the file
 * already. It is written before the line that it speaks of, so after a crash at any point the last entry that the file
 * has reached tells where to go on.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { appendText } from "./append-whole.ts";

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
  let text = "";
  try {
    text = readFileSync(join(attemptFolder, "cursor"), "utf8");
  } catch {
    // No entry was ever written: nothing of the output stands in the file.
  }
  let position: RawPosition = { offset: 0, skip: 0 };
  for (const line of text.split("\n").slice(0, -1)) {
    const [seq, offset, skip] = line.split(" ").map(Number);
    if (seq === undefined || offset === undefined || skip === undefined || seq > nextSeq) continue;
    position = { offset, skip: skip + nextSeq - seq };
  }
  return position;
}
