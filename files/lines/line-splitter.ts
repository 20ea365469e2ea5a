/** The lines of bytes that come in pieces, as text: what programs print. Pure. */
import { type CutLine, LineCutter } from "./line-cutter.ts";

/** A line longer than this is cut: 8 MiB, from docs/contract.md. */
export const maxLineBytes = 8 * 1024 * 1024;

export type Line = {
  text: string;
  /** The offset of the first byte behind the line and its LF. */
  end: number;
  /** Set when the line was longer than the bound: `text` is its head. */
  truncated?: true;
};

/** Keeps the unfinished line between chunks, within the bound. */
export class LineSplitter {
  readonly #cutter: LineCutter;

  constructor(offset = 0, maxBytes = maxLineBytes) {
    this.#cutter = new LineCutter(offset, maxBytes);
  }

  /** The lines that a chunk completes. */
  *push(chunk: Buffer): Generator<Line> {
    for (const line of this.#cutter.push(chunk)) yield asText(line);
  }

  /** The last line, if it had no LF. */
  *finish(): Generator<Line> {
    for (const line of this.#cutter.finish()) yield asText(line);
  }
}

const asText = ({ bytes, ...line }: CutLine): Line => ({ text: bytes.toString("utf8"), ...line });
