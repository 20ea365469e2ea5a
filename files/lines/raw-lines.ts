/** The lines of a file that people edit as well: what isn't understood is written back as it stood, to the byte. Pure. */

export type RawLine = {
  /** Without its end. They may be no UTF-8. */
  bytes: Buffer;
  /** Empty for a last line that was torn, or never ended. */
  end: "" | "\n" | "\r\n";
};

export function splitLines(file: Buffer): RawLine[] {
  const lines: RawLine[] = [];
  for (let at = 0; at < file.length; ) {
    const feed = file.indexOf(0x0a, at);
    const stop = feed === -1 ? file.length : feed;
    const hasReturn = feed > at && file[feed - 1] === 0x0d;
    const end = feed === -1 ? "" : hasReturn ? "\r\n" : "\n";
    lines.push({ bytes: file.subarray(at, hasReturn ? stop - 1 : stop), end });
    at = stop + 1;
  }
  return lines;
}

export function joinLines(lines: readonly RawLine[]): Buffer {
  return Buffer.concat(lines.flatMap(({ bytes, end }) => [bytes, Buffer.from(end)]));
}

/** A line as text. What is no UTF-8 is replaced; a mark of byte order, with which some editors begin a file, is left out. */
export function textOf({ bytes }: RawLine): string {
  return bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .replace(/\r$/, "");
}

/** The lines and one more, ended as the others are. A last line without an end gets one first. */
export const withLine = (lines: readonly RawLine[], text: string) => withLines(lines, [text]);

/** The lines and some more, likewise. */
export function withLines(lines: readonly RawLine[], texts: readonly string[]): RawLine[] {
  const end = lines.find((line) => line.end !== "")?.end ?? "\n";
  const ended = lines.map((line) => (line.end === "" ? { ...line, end } : line));
  return [...ended, ...texts.map((text) => ({ bytes: bytesOf(text), end }))];
}

/** The lines with another text in one of them, counted from 1. */
export function withText(lines: readonly RawLine[], number: number, text: string): RawLine[] {
  return lines.map((line, index) => (index === number - 1 ? { ...line, bytes: bytesOf(text) } : line));
}

function bytesOf(text: string): Buffer {
  if (/[\r\n]/.test(text)) throw new Error(`${JSON.stringify(text.slice(0, 100))} is more than one line`);
  return Buffer.from(text, "utf8");
}
