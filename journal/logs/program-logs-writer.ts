/** Writes a program's log: whole lines, at once, in files of bounded size and number. Nothing that goes wrong here stops a program. */
import {
  closeSync,
  ftruncateSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { parseOwnJson } from "../../protocol/json/parse-json.ts";

/** All logs of a program together stay below 40 MiB: this one, and its older ones. */
const maxFileBytes = 8 * 1024 * 1024;
const maxOlder = 4;
/** A longer line keeps its head. */
const maxLineLength = 256 * 1024;
const headLength = 4096;

/** How a line begins that was taken over from a file of text: the text is still there, so a torn one can be made again. */
export const takenMark = '{"from":"';

export type LogLimits = { maxBytes: number; maxOlder: number };

/** The files of a log, the newest first. Some may not exist. */
export function logFiles(path: string, older = maxOlder): string[] {
  return [path, ...Array.from({ length: older }, (_, at) => `${path}.${at + 1}`)];
}

export class ProgramLog {
  readonly path: string;
  readonly #program: string;
  readonly #limits: LogLimits;
  #file: { descriptor: number; inode: number } | null = null;
  #lost = 0;

  constructor(path: string, program: string, limits: LogLimits = { maxBytes: maxFileBytes, maxOlder }) {
    this.path = path;
    this.#program = program;
    this.#limits = limits;
  }

  /** Writes a line, with its LF. Never throws: what can't be written (a full disk) is counted, and the count is written later. */
  write(line: string): void {
    try {
      if (this.#lost > 0) {
        this.append(this.#lossLine());
        this.#lost = 0;
      }
      this.append(line.length > maxLineLength ? headOf(line) : line);
    } catch {
      this.#lost++;
    }
  }

  /**
   * Appends a line, with its LF.
   * @throws Error of the file system; the line is not in the log then
   */
  append(line: string): void {
    const bytes = Buffer.from(line);
    let { descriptor, size } = this.#open();
    if (size > 0 && size + bytes.length > this.#limits.maxBytes) {
      this.#rotate();
      ({ descriptor, size } = this.#open());
    }
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    } catch (error) {
      cutTo(descriptor, size); // half a line would fuse with the next
      this[Symbol.dispose]();
      throw error;
    }
  }

  [Symbol.dispose](): void {
    if (this.#file) closeSync(this.#file.descriptor);
    this.#file = null;
  }

  /** The file that stands at the path now: the one that was open may have been renamed or removed by somebody. */
  #open(): { descriptor: number; size: number } {
    const found = statSync(this.path, { throwIfNoEntry: false });
    if (this.#file && found?.ino === this.#file.inode) return { descriptor: this.#file.descriptor, size: found.size };
    this[Symbol.dispose]();
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const descriptor = openSync(this.path, "a+", 0o600);
    try {
      repairEnd(descriptor);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    const { ino, size } = fstatSync(descriptor);
    this.#file = { descriptor, inode: ino };
    return { descriptor, size };
  }

  /** Each step is one rename onto a free name, so a kill between two leaves a gap and nothing else; the next rotation fills it. */
  #rotate(): void {
    const files = logFiles(this.path, this.#limits.maxOlder);
    const gap = files.findIndex((file) => !statSync(file, { throwIfNoEntry: false }));
    const last = gap === -1 ? files.length - 1 : gap; // without a gap the oldest is written over
    this[Symbol.dispose](); // whoever reads finds a file that has another name ended
    for (let at = last; at > 0; at--) renameSync(files[at - 1] ?? "", files[at] ?? "");
  }

  #lossLine(): string {
    const loss = { level: 40, time: Date.now(), name: this.#program, lost: this.#lost };
    return `${JSON.stringify({ ...loss, msg: "lines of this log couldn't be written" })}\n`;
  }
}

/** A writer that was killed may have left half a line. Half a line that was taken over is cut: it is taken again. */
function repairEnd(descriptor: number): void {
  const { size } = fstatSync(descriptor);
  const length = Math.min(size, maxLineLength * 4);
  const end = Buffer.alloc(length);
  const count = readSync(descriptor, end, 0, length, size - length);
  const half = end.subarray(end.lastIndexOf(10) + 1, count);
  if (half.length === 0) return;
  const isTaken = takenMark.startsWith(half.subarray(0, takenMark.length).toString("latin1"));
  if (isTaken) ftruncateSync(descriptor, size - half.length);
  else writeSync(descriptor, "\n");
}

/** Cuts the file. A failure is repaired when it is opened again. */
function cutTo(descriptor: number, size: number): void {
  try {
    ftruncateSync(descriptor, size);
  } catch {
    // The disk that refused the line may refuse this as well.
  }
}

function headOf(line: string): string {
  const { level, time, name, pid, msg } = parseOwnJson(line) as Record<string, unknown>;
  const head = { level, time, name, pid, truncated: true, head: line.slice(0, headLength) };
  return `${JSON.stringify({ ...head, msg: String(msg).slice(0, headLength) })}\n`;
}
