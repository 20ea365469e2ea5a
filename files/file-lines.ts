/** Whole lines of a file of any length, read in pieces, compressed or not: how much memory that takes doesn't depend on the file. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { messageOf } from "./error-message.ts";
import { hasCode } from "./errno.ts";

/** A whole line, without its LF. */
export type FileLine = {
  /** Valid until the next line is asked for. Of a line that is too long, its head. */
  bytes: Buffer;
  /** The offset behind the line's LF, in the file as it is unpacked. */
  end: number;
};

const LF = 10;
const pieceBytes = 256 * 1024;
/** Lines of runs are shorter: an agent's have at most 8 MiB, and so have their events. */
const maxLineBytes = 64 * 1024 * 1024;
const headBytes = 4096;

/** A file that can't be read, with the reason. */
export class FileLinesError extends Error {
  override name = "FileLinesError";
}

/** Says, when a file has been read, how many bytes without an LF follow its last line. */
export type Torn = { bytes: number };

/**
 * Yields the whole lines of a file from an offset on; in a compressed file, the offset counts unpacked bytes.
 * @throws Error with code ENOENT when there is no such file, else FileLinesError
 */
export async function* fileLines(path: string, offset = 0, torn?: Torn): AsyncGenerator<FileLine> {
  const isPacked = path.endsWith(".gz");
  const cutter = new LineCutter(isPacked ? 0 : offset);
  await using file = await openFile(path);
  try {
    for await (const piece of isPacked ? unpackedPieces(file) : pieces(file, offset))
      for (const line of cutter.push(piece)) if (line.end > offset) yield line;
    if (torn) torn.bytes = cutter.tornBytes;
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Opens a regular file for reading, and nothing else: neither a folder nor a FIFO of that name.
 * @throws Error with code ENOENT when there is no such file, else FileLinesError
 */
export async function openFile(path: string): Promise<FileHandle> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw error;
    throw unreadable(path, error);
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new FileLinesError(`${path} is not a file`);
}

async function* pieces(file: FileHandle, offset: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(pieceBytes);
  for (let position = offset; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* unpackedPieces(file: FileHandle): AsyncGenerator<Buffer> {
  const packed = file.createReadStream({ highWaterMark: pieceBytes, autoClose: false });
  const unpacked = createGunzip({ chunkSize: pieceBytes });
  packed.on("error", (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } finally {
    packed.destroy();
  }
}

/** Cuts bytes that come in pieces into lines. */
export class LineCutter {
  #parts: Buffer[] = [];
  #length = 0;
  #end: number;

  /** @param offset of the first piece */
  constructor(offset = 0) {
    this.#end = offset;
  }

  /** How many bytes came after the last LF. */
  get tornBytes(): number {
    return this.#length;
  }

  /** The lines that a piece completes. The piece may be reused when they have been taken. */
  *push(piece: Buffer): Generator<FileLine> {
    let from = 0;
    for (let at = piece.indexOf(LF); at >= 0; at = piece.indexOf(LF, from)) {
      const part = piece.subarray(from, at);
      this.#end += part.length + 1;
      from = at + 1;
      const bytes = this.#length === 0 ? part : this.#whole(part);
      yield { bytes, end: this.#end };
    }
    this.#keep(piece.subarray(from));
    this.#end += piece.length - from;
  }

  #whole(last: Buffer): Buffer {
    this.#keep(last);
    const whole = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    return whole;
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#length += part.length;
    if (this.#length <= maxLineBytes) this.#parts.push(Buffer.from(part));
    else if (this.#parts.length !== 1 || (this.#parts[0]?.length ?? 0) > headBytes)
      this.#parts = [Buffer.from(Buffer.concat([...this.#parts, part]).subarray(0, headBytes))];
  }
}

function unreadable(path: string, error: unknown): FileLinesError {
  if (error instanceof FileLinesError) return error;
  const reason = messageOf(error);
  return new FileLinesError(`${path} can't be ${path.endsWith(".gz") ? "unpacked" : "read"}: ${reason}`, {
    cause: error,
  });
}
