/** Whole lines of a file of any length, read in pieces, compressed or not: how much memory that takes doesn't depend on the file. */
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import { messageOf } from "../errors/error-message.ts";
import { hasCode } from "../errors/errno.ts";
import { type CutLine, LineCutter, maxFileLineBytes } from "./line-cutter.ts";

const pieceBytes = 256 * 1024;

/** A file that can't be read, with the reason. */
export class FileLinesError extends Error {
  override name = "FileLinesError";
}

/** Says, when a file has been read, how many bytes without an LF follow its last line. */
export type Torn = { bytes: number };

type Options = {
  /** Where reading begins; in a compressed file, the offset counts unpacked bytes. */
  offset?: number;
  torn?: Torn;
  /** The longest line; of a longer one, the head is yielded. */
  maxBytes?: number;
};

/**
 * Yields the whole lines of a file.
 * @throws Error with code ENOENT when there is no such file, else FileLinesError
 */
export async function* fileLines(path: string, options: Options = {}): AsyncGenerator<CutLine> {
  const { offset = 0, torn, maxBytes = maxFileLineBytes } = options;
  const begin = path.endsWith(".gz") ? 0 : offset;
  const cutter = new LineCutter(begin, maxBytes);
  for await (const piece of filePieces(path, begin))
    for (const line of cutter.push(piece)) if (line.end > offset) yield line;
  if (torn) torn.bytes = cutter.tornBytes;
}

/**
 * Yields what a file holds, in pieces that are valid until the next one is asked for; of a compressed file, unpacked and whole.
 * @throws Error with code ENOENT when there is no such file, else FileLinesError
 */
export async function* filePieces(path: string, offset = 0): AsyncGenerator<Buffer> {
  await using file = await openFile(path);
  try {
    yield* path.endsWith(".gz") ? unpackedPieces(file) : pieces(file, offset);
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

function unreadable(path: string, error: unknown): FileLinesError {
  if (error instanceof FileLinesError) return error;
  const reason = messageOf(error);
  return new FileLinesError(`${path} can't be ${path.endsWith(".gz") ? "unpacked" : "read"}: ${reason}`, {
    cause: error,
  });
}
