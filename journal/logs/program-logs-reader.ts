/** Reads the logs of programs: the last lines, then what comes, across rotation. Torn and foreign lines are lines too. */
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { hasCode } from "../../files/errors/errno.ts";
import { LineCutter } from "../../files/lines/line-cutter.ts";
import { linesFromEnd } from "../../files/lines/lines-from-end.ts";
import { logFile } from "./program-logs.ts";
import { logFiles } from "./program-logs-writer.ts";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

export type LogLine = {
  program: string;
  /** When it was written, in ms; of a line that doesn't say, when the one before it was. */
  time: number;
  text: string;
  /** The record of the line; null when it isn't a JSON object. */
  record: Record<string, unknown> | null;
};

const lookEveryMs = 100;
const pieceBytes = 64 * 1024;
/** More than a line that we write ever has: a longer one is cut. */
const maxLineBytes = 2 * 1024 * 1024;

/** The last `count` lines of these programs together, by time. */
export function lastLines(journal: string, programs: readonly string[], count: number): LogLine[] {
  const logs = programs.map((program) => new LogTail(journal, program));
  try {
    return byTime(logs.flatMap((log) => log.last(count))).slice(count === 0 ? Number.POSITIVE_INFINITY : -count);
  } finally {
    for (const log of logs) log.close();
  }
}

/** The same, then what is written from then on, as it comes, until the signal. */
export async function* followLogs(
  journal: string,
  programs: readonly string[],
  count: number,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const logs = programs.map((program) => new LogTail(journal, program));
  try {
    yield* byTime(logs.flatMap((log) => log.last(count))).slice(count === 0 ? Number.POSITIVE_INFINITY : -count);
    while (!signal.aborted) {
      yield* byTime(logs.flatMap((log) => [...log.next()]));
      await delay(lookEveryMs, undefined, { signal }).catch(() => {});
    }
  } finally {
    for (const log of logs) log.close();
  }
}

function byTime(lines: LogLine[]): LogLine[] {
  return lines.toSorted((one, other) => one.time - other.time);
}

type OpenFile = { descriptor: number; inode: number };

/** The log of one program, and how far it was read. */
class LogTail {
  readonly #program: string;
  readonly #path: string;
  #file: OpenFile | null = null;
  #offset = 0;
  #cutter = new LineCutter(0, maxLineBytes);
  #time = 0;

  constructor(journal: string, program: string) {
    this.#program = program;
    this.#path = logFile(journal, program);
  }

  close(): void {
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = null;
  }

  /** The last whole lines; what comes behind them is for `next`. */
  last(count: number): LogLine[] {
    const files = this.#openFiles();
    const newest = files.at(-1);
    let texts: string[] = [];
    for (const { descriptor } of files.toReversed()) {
      if (descriptor === newest?.descriptor) this.#offset = endOf(descriptor);
      if (texts.length < count) texts = [...lastTexts(descriptor, count - texts.length), ...texts];
      if (descriptor !== newest?.descriptor) closeSync(descriptor);
    }
    this.#file = newest ?? null;
    return texts.map((text) => this.#line(text));
  }

  /** The whole lines that were written since. */
  *next(): Generator<LogLine> {
    for (;;) {
      const isRenamed = this.#file !== null && inodeAt(this.#path) !== this.#file.inode;
      // Asked before it is read: a file that has another name now is complete.
      if (this.#file) yield* this.#read(this.#file.descriptor);
      if (this.#file && !isRenamed) return;
      if (!this.#moveOn()) return;
    }
  }

  *#read(descriptor: number): Generator<LogLine> {
    const piece = Buffer.alloc(pieceBytes);
    for (;;) {
      const count = readSync(descriptor, piece, 0, pieceBytes, this.#offset);
      if (count === 0) return;
      this.#offset += count;
      for (const { bytes } of this.#cutter.push(piece.subarray(0, count))) {
        const text = bytes.toString("utf8");
        if (text.trim() !== "") yield this.#line(text);
      }
    }
  }

  /** Goes on with the file after this one; without one that is known any more, with the oldest. Whether there was one. */
  #moveOn(): boolean {
    const files = this.#openFiles();
    const at = this.#file === null ? 0 : files.findIndex(({ inode }) => inode === this.#file?.inode) + 1;
    const next = files[at];
    for (const file of files) if (file !== next) closeSync(file.descriptor);
    if (!next) return false;
    this.close();
    this.#file = next;
    this.#offset = 0;
    this.#cutter = new LineCutter(0, maxLineBytes);
    return true;
  }

  /**
   * All its files, the oldest first. They are opened the other way round: a rotation meanwhile moves them towards what
   * is opened next, so that one may be met twice, and none is missed.
   */
  #openFiles(): OpenFile[] {
    const files: OpenFile[] = [];
    for (const path of logFiles(this.#path)) {
      const descriptor = openIfThere(path);
      if (descriptor === null) continue;
      const inode = fstatSync(descriptor).ino;
      if (files.some((file) => file.inode === inode)) closeSync(descriptor);
      else files.unshift({ descriptor, inode });
    }
    return files;
  }

  #line(text: string): LogLine {
    const record = recordOf(text);
    if (typeof record?.["time"] === "number") this.#time = record["time"];
    return { program: this.#program, time: this.#time, text, record };
  }
}

function recordOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = parseOwnJson(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** The offset behind the last whole line. */
function endOf(descriptor: number): number {
  const [last] = linesFromEnd(descriptor).take(1);
  return last?.end ?? 0;
}

/** The last whole lines of a file that aren't blank, in their order. */
function lastTexts(descriptor: number, count: number): string[] {
  return linesFromEnd(descriptor)
    .map(({ bytes }) => bytes.toString("utf8"))
    .filter((text) => text.trim() !== "")
    .take(count)
    .toArray()
    .toReversed();
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}

const inodeAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino ?? null;
