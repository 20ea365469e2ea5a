/** A file of lines with one writer: each append is whole, in order, and lasts when it resolves. */
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { SerialQueue } from "../locks/serial-queue.ts";
import { appendWhole } from "./append-whole.ts";
import { commits, syncableFile, type Syncable } from "./group-commit.ts";
import { replaceFile } from "./replace-file.ts";

const LF = 10;

export class LineFile implements Disposable {
  readonly #path: string;
  #file = -1;
  #lasting: Syncable = { sync: async () => {} };
  #size = 0;
  readonly #writes = new SerialQueue();

  /** Opens it, and cuts off a torn last line: whoever wrote that never said that it stands there. */
  constructor(path: string) {
    this.#path = path;
    this.#open();
    const whole = this.#endOfLastLine();
    if (whole < this.#size) ftruncateSync(this.#file, whole);
    this.#size = whole;
  }

  /** In bytes. */
  get size(): number {
    return this.#size;
  }

  /** So many bytes from a place on. */
  read(from: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const read = readSync(this.#file, bytes, done, length - done, from + done);
      if (read === 0) return bytes.subarray(0, done);
      done += read;
    }
    return bytes;
  }

  /** Appends each as a line of JSON. While the disk is full it waits, and whoever comes after it too. */
  async append(records: readonly unknown[]): Promise<void> {
    const bytes = linesOf(records);
    await this.#writes.run(async () => {
      await appendWhole(this.#file, bytes, this.#size);
      this.#size += bytes.length;
    });
    await commits.lasting(this.#lasting);
  }

  /** Resolves when all that was appended before lasts. */
  async lasts(): Promise<void> {
    await this.#writes.idle();
    await commits.lasting(this.#lasting);
  }

  /** Puts these lines in place of all that it holds. What is appended meanwhile stands behind them. */
  async rewrite(records: () => readonly unknown[]): Promise<void> {
    await this.#writes.run(async () => {
      await replaceFile(this.#path, linesOf(records()).toString("utf8"));
      // Whoever waits for the disk waits for the old file.
      await commits.lasting(this.#lasting);
      closeSync(this.#file);
      this.#open();
    });
  }

  #open(): void {
    this.#file = openSync(this.#path, "a+", 0o600);
    this.#lasting = syncableFile(this.#file);
    this.#size = fstatSync(this.#file).size;
  }

  #endOfLastLine(): number {
    const step = 64 * 1024;
    for (let to = this.#size; to > 0; to -= step) {
      const from = Math.max(0, to - step);
      const at = this.read(from, to - from).lastIndexOf(LF);
      if (at >= 0) return from + at + 1;
    }
    return 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    // Its number may soon be another file's: who still appends is refused.
    this.#file = -1;
  }
}

const linesOf = (records: readonly unknown[]) =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
