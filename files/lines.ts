/** Splits bytes into lines, on LF alone. Pure: bytes in, lines out, each with the offset behind it. */

/** A line longer than this is cut: 8 MiB, from docs/contract.md. */
export const maxLineBytes = 8 * 1024 * 1024;

/** How much of a cut line is kept. */
const headBytes = 4096;

export type Line = {
  text: string;
  /** The offset of the first byte behind the line and its LF. */
  end: number;
  /** Set when the line was longer than the bound: `text` is its head. */
  truncated?: true;
};

const LF = 10;

/** Keeps the unfinished line between chunks. Memory stays below the bound, however long a line is. */
export class LineSplitter {
  #offset: number;
  #parts: Buffer[] = [];
  #length = 0;
  readonly #maxBytes: number;

  constructor(offset = 0, maxBytes = maxLineBytes) {
    this.#offset = offset;
    this.#maxBytes = maxBytes;
  }

  /** The lines that a chunk completes. */
  *push(chunk: Buffer): Generator<Line> {
    let from = 0;
    for (let at = chunk.indexOf(LF, from); at >= 0; at = chunk.indexOf(LF, from)) {
      this.#keep(chunk.subarray(from, at));
      this.#offset += at - from + 1;
      from = at + 1;
      yield this.#take();
    }
    this.#keep(Buffer.from(chunk.subarray(from))); // a copy: the reader uses its buffer again
    this.#offset += chunk.length - from;
  }

  /** The last line, if it had no LF. */
  *finish(): Generator<Line> {
    if (this.#length > 0) yield this.#take();
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) {
      if (part.length > 0) this.#parts.push(part);
      return;
    }
    // Too long: the head is enough, the rest is only counted.
    this.#parts = [Buffer.concat([...this.#parts, part]).subarray(0, headBytes)];
  }

  #take(): Line {
    const text = Buffer.concat(this.#parts).toString("utf8");
    const line: Line = { text, end: this.#offset };
    if (this.#length > this.#maxBytes) line.truncated = true;
    this.#parts = [];
    this.#length = 0;
    return line;
  }
}
