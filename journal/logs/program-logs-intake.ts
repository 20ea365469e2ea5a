/**
 * Takes what a program wrote as text over into its log, line by line, each line once, whatever is killed meanwhile.
 * Each line in the log says up to where it took the text; so the log itself is the cursor, and the two can't disagree.
 */
import { createHash, randomUUID } from "node:crypto";
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { bytesAt } from "../../files/bytes-at.ts";
import { logFile, strayFile } from "./program-logs.ts";
import { logFiles, ProgramLog, takenMark } from "./program-logs-writer.ts";

/** A line of text as the log stores it. */
export type TakenLine = { level: number; time: number; msg: string; pid?: number };

/** Read at a time: a longer line becomes several. */
const pieceBytes = 64 * 1024;
const LF = 10;
/** How a file begins that we made: no two of them are alike, even where the system uses a file's number again. */
const headerMark = "# begun ";

const errorLevel = 50;

export class LogIntake {
  readonly #log: ProgramLog;
  readonly #program: string;
  readonly #parse: (text: string, changed: number) => TakenLine;
  readonly #taken = new Map<string, number>();

  constructor(log: ProgramLog, program: string, parse: (text: string, changed: number) => TakenLine) {
    this.#log = log;
    this.#program = program;
    this.#parse = parse;
  }

  /**
   * Takes at most one piece of a file over. Tells whether there may be more.
   * @param isOver nobody writes to it any more: a last line without LF counts
   * @throws Error of the file system; nothing is lost then, and it can be tried again
   */
  takePiece(path: string, isOver: boolean): boolean {
    const piece = Buffer.allocUnsafe(pieceBytes);
    const descriptor = openSync(path, "r");
    try {
      const key = keyOf(piece.subarray(0, readSync(descriptor, piece, 0, pieceBytes, 0)), isOver);
      if (key === null) return false;
      const from = this.#taken.get(key) ?? takenFrom(this.#log.path, key);
      const read = piece.subarray(0, readSync(descriptor, piece, 0, pieceBytes, from));
      const isWhole = read.length === pieceBytes && !read.includes(LF);
      const length = isWhole || (isOver && read.length < pieceBytes) ? read.length : read.lastIndexOf(LF) + 1;
      const { mtimeMs } = fstatSync(descriptor);
      for (const { text, end } of linesOf(read.subarray(0, length))) {
        if (text !== "" && !text.startsWith(headerMark)) {
          const { level, time, pid, msg } = this.#parse(text, Math.round(mtimeMs));
          const record = { from: `${key}:${from + end}`, level, time, pid, name: this.#program, msg };
          this.#log.append(`${JSON.stringify(record)}\n`);
        }
        this.#taken.set(key, from + end);
      }
      return length > 0;
    } finally {
      closeSync(descriptor);
    }
  }

  /** Takes over all of a file that nobody writes to any more, and removes it. */
  takeAll(path: string): void {
    while (this.takePiece(path, true));
    unlinkSync(path);
    this.#taken.clear(); // what is known of other files stands in the log
  }
}

/** Begins a file for text, unless it is there; a half line at its end is ended. */
export function beginText(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const descriptor = openSync(path, "a+", 0o600);
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.alloc(1);
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
    if (size === 0) writeWhole(descriptor, `${headerMark}${randomUUID()}\n`);
    else if (last[0] !== LF) writeWhole(descriptor, "\n");
  } finally {
    closeSync(descriptor);
  }
}

/** All of it or, on a full disk, nothing: a file without its whole header would be taken for another. */
function writeWhole(descriptor: number, text: string): void {
  const { size } = fstatSync(descriptor);
  if (writeSync(descriptor, text) === Buffer.byteLength(text)) return;
  ftruncateSync(descriptor, size);
  throw new Error("there is no room for a line");
}

/**
 * Takes the captured output of a program that has ended into its log. Never throws: what can't be taken now is taken next time.
 */
export function takeCapture(journal: string, program: string): void {
  using log = new ProgramLog(logFile(journal, program), program);
  const words = new LogIntake(log, program, (msg, time) => ({ level: errorLevel, time, msg }));
  try {
    words.takeAll(strayFile(journal, program));
  } catch {
    // There is none, or there is no room: it stays where it is.
  }
}

/** Before a program starts: what its predecessor left is taken, and its own stdout and stderr may go to this file. Never throws. */
export function beginCapture(journal: string, program: string): string {
  takeCapture(journal, program);
  const path = strayFile(journal, program);
  try {
    beginText(path);
  } catch {
    return "/dev/null"; // no room, or not ours to write: no reason not to start
  }
  return path;
}

/** The lines of a piece, each with the offset behind it. */
function* linesOf(piece: Buffer): Generator<{ text: string; end: number }> {
  for (let at = 0; at < piece.length; ) {
    const end = piece.indexOf(LF, at) + 1 || piece.length;
    yield { text: piece.subarray(at, end).toString("utf8").trimEnd(), end };
    at = end;
  }
}

/** Names a file by its first line, as soon as that is whole. */
function keyOf(begin: Buffer, isOver: boolean): string | null {
  const end = begin.indexOf(LF);
  if (end === -1 && begin.length < pieceBytes && !(isOver && begin.length > 0)) return null;
  const first = begin.subarray(0, end === -1 ? begin.length : end);
  return createHash("sha256").update(first).digest("base64url").slice(0, 16);
}

/** Up to where a file was taken, as the log says; 0 when it says nothing. */
function takenFrom(path: string, key: string): number {
  const mark = Buffer.from(`${takenMark}${key}:`);
  for (const file of logFiles(path)) {
    const bytes = bytesAt(file);
    const whole = bytes.lastIndexOf(LF);
    if (whole === -1) continue;
    const at = bytes.lastIndexOf(mark, whole); // half a line counts as none
    if (at >= 0) return Number.parseInt(bytes.toString("latin1", at + mark.length, at + mark.length + 16), 10);
  }
  return 0;
}
