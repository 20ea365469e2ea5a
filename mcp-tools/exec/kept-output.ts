/**
 * The output of a command: the first and the last of each stream for a model, and all of it in a file, as far as that
 * may grow.
 */
import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** Bytes of a stream for a model: so much of its beginning, and of its end. */
const headBytes = 8 * 1024;
const tailBytes = 8 * 1024;

export class KeptOutput implements Disposable {
  readonly path: string;
  readonly #maxBytes: number;
  readonly #streams = { stdout: new HeadAndTail(), stderr: new HeadAndTail() };
  #file: number | null;
  /** In the file. */
  size = 0;
  /** Whether it printed more than the file may hold, or than the disk has room for. */
  isFull = false;

  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, "wx+", 0o600);
  }

  add(from: "stdout" | "stderr", bytes: Buffer): void {
    this.#streams[from].add(bytes);
    const fitting = bytes.subarray(0, this.#maxBytes - this.size);
    if (this.#file === null || this.isFull) return;
    try {
      for (let at = 0; at < fitting.length; ) {
        const written = writeSync(this.#file, fitting, at);
        at += written;
        this.size += written;
      }
      this.isFull = fitting.length < bytes.length;
    } catch {
      this.isFull = true; // no room on the disk: the command is stopped, and that is told
    }
  }

  get stdout(): string {
    return this.#streams.stdout.text;
  }

  get stderr(): string {
    return this.#streams.stderr.text;
  }

  /** Whether something is missing in the texts. */
  get isCut(): boolean {
    return this.#streams.stdout.isCut || this.#streams.stderr.isCut;
  }

  /** Bytes of the file, from one of them on. */
  read(from: number, most: number): Buffer {
    const file = openSync(this.path, "r");
    try {
      const bytes = Buffer.alloc(Math.max(0, Math.min(most, this.size - from)));
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from));
    } finally {
      closeSync(file);
    }
  }

  /** The file stays. */
  [Symbol.dispose](): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }
}

class HeadAndTail {
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);
  #left = 0;

  add(bytes: Buffer): void {
    const room = headBytes - this.#head.length;
    if (room > 0) this.#head = Buffer.concat([this.#head, bytes.subarray(0, room)]);
    const rest = bytes.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    const joined = Buffer.concat([this.#tail, rest.subarray(-tailBytes)]);
    this.#left += this.#tail.length + rest.length - Math.min(tailBytes, joined.length);
    this.#tail = joined.subarray(-tailBytes);
  }

  get isCut(): boolean {
    return this.#left > 0;
  }

  get text(): string {
    const [head, tail] = [this.#head.toString("utf8"), this.#tail.toString("utf8")];
    return this.isCut
      ? `${head}\n[… ${this.#left} bytes left out …]\n${tail}`
      : Buffer.concat([this.#head, this.#tail]).toString("utf8");
  }
}
