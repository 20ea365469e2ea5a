/** Files as a whole, for a client that shows or attaches them: a day's or a facet's with any bytes in it, or a run's lines. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { hasCode } from "../../files/errors/errno.ts";
import { locateResource, ResourceError } from "./resources.ts";
import { activeFile, compressedFile, endedFile } from "../runs/run-files.ts";

/** Longer ones are read in parts, by other means. */
const maxBytes = 4 * 1024 * 1024;

const LF = 10;

/**
 * A file of the days and facets.
 * @throws ResourceError
 */
export function readWholeFile(journal: string, path: string): Buffer {
  const remedy = "read parts of it with get_resource";
  const bytes = read(locateResource(journal, path), path, remedy);
  if (!bytes) throw new ResourceError(`"${path}" does not exist: search_journal gives the paths of files`);
  return bytes;
}

/**
 * The lines of a run that are whole, as they stand in its file; null when there is no such run.
 * @throws ResourceError
 */
export function readRunLines(journal: string, agentId: string): Buffer | null {
  const ended = endedFile(journal, agentId);
  // The ended file last again: a run that ends between two looks is found.
  for (const path of [ended, compressedFile(journal, agentId), activeFile(journal, agentId), ended]) {
    const name = `run ${agentId}`;
    const remedy = `see: cortex runs show ${agentId}`;
    const stored = read(path, name, remedy);
    const bytes = stored && path.endsWith(".gz") ? unpack(stored, name, remedy) : stored;
    if (bytes) return bytes.subarray(0, bytes.lastIndexOf(LF) + 1);
  }
  return null;
}

/** Null when there is no such file. */
function read(path: string, name: string, remedy: string): Buffer | null {
  let file: number;
  try {
    // Neither led away by a link put there since the path was checked, nor stuck on a FIFO.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw new ResourceError(`${name} can't be read`, { cause: error });
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new ResourceError(`${name} is not a file`);
    if (stats.size > maxBytes) throw tooLong(name, remedy);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

function unpack(bytes: Buffer, name: string, remedy: string): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (hasCode(error, "ERR_BUFFER_TOO_LARGE")) throw tooLong(name, remedy);
    throw new ResourceError(`${name} can't be unpacked`, { cause: error });
  }
}

const tooLong = (name: string, remedy: string) =>
  new ResourceError(`${name} has more than the ${maxBytes} bytes that are read at once: ${remedy}`);
