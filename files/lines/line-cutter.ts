/** Cuts bytes that come in pieces into lines, on LF alone. Pure: bytes in, lines out, each with the offset behind it. */

/** The longest line of a run's file: an agent's lines have at most 8 MiB, and so have their events. */
export const maxFileLineBytes = 64 * 1024 * 1024;

/** How much of a line that is too long is kept. */
const headBytes = 4096;

export type CutLine = {
  /** Without its LF. Valid until the next line is asked for. */
  bytes: Buffer;
  /** The offset of the first byte behind the line and its LF. */
  end: number;
  /** Set when the line was longer than the bound: `bytes` is its head. */
  truncated?: true;
};

const LF = 10;

/** Keeps the unfinished line between pieces. Memory stays below the bound, however long a line is. */
export class LineCutter {
  #parts: Buffer[] = [];
  #length = 0;
  #end: number;
  readonly #maxBytes: number;

  /**
   * @param offset of the first piece
   * @param maxBytes of a line
   */
  constructor(offset = 0, maxBytes = maxFileLineBytes) {
    this.#end = offset;
    this.#maxBytes = maxBytes;
  }

  /** How many bytes came after the last LF. */
  get tornBytes(): number {
    return this.#length;
  }

  /** The lines that a piece completes. The piece may be reused when they have been taken. */
  *push(piece: Buffer): Generator<CutLine> {
    let from = 0;
    for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, from)) {
      const part = piece.subarray(from, at);
      this.#end += part.length + 1;
      from = at + 1;
      yield this.#takeLine(part);
    }
    this.#keep(piece.subarray(from));
    this.#end += piece.length - from;
  }

  /** The last line, if it had no LF. */
  *finish(): Generator<CutLine> {
    if (this.#length > 0) yield this.#takeLine(Buffer.alloc(0));
  }

  #takeLine(last: Buffer): CutLine {
    const isCut = this.#length + last.length > this.#maxBytes;
    const whole = this.#length === 0 ? last : Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    this.#length = 0;
    return isCut
      ? { bytes: whole.subarray(0, headBytes), end: this.#end, truncated: true }
      : { bytes: whole, end: this.#end };
  }

  /** Keeps a copy, because the reader uses its buffer again; of a line that is too long, its head. */
  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length <= this.#maxBytes) this.#parts.push(Buffer.from(part));
    else if (this.#parts.length !== 1 || (this.#parts[0]?.length ?? 0) > headBytes)
      this.#parts = [Buffer.from(Buffer.concat([...this.#parts, part]).subarray(0, headBytes))];
  }
}
