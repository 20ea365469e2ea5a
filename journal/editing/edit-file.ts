/**
 * Changes a file that the user's editor may change as well, of a facet, of the memory or of a work folder: read, decide,
 * replace whole. Two changes of one file both count, whichever process makes them, and a change that wasn't read is never
 * written over.
 */
import { renameSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { awaitFileLock } from "../../files/locks/file-lock.ts";
import { type FacetFile, FacetFileError, maxFileBytes, readWhole } from "./facet-file.ts";
import { makePrivateFolders, runtime } from "../config/paths.ts";
import { joinLines, type RawLine, splitLines } from "../../files/lines/raw-lines.ts";
import { writeBeside } from "../../files/writing/replace-file.ts";
import { type CallKey, doneBy, type Edit, dropCallNote, noteCall } from "./tool-calls.ts";

/** The decision about the lines that stand there. Without `lines` nothing is written. */
export type EditDecision = { edit: Edit; lines?: readonly RawLine[] };

/** How often a file is read again because it changed meanwhile. Somebody types slower than that. */
const maxAttempts = 20;

/** Milliseconds that others may take for their changes: each takes as long as the disk does to write a small file. */
const lockTimeoutMs = 10_000;

/**
 * Lets `decide` say what the file shall hold, as often as it has changed in between; it throws where nothing can be done.
 * @param once names the call for which this is done: the same again does nothing, and gives the same answer
 * @throws FacetFileError, and what `decide` throws
 */
export async function editFile(
  file: FacetFile,
  decide: (lines: RawLine[]) => EditDecision,
  once?: CallKey,
): Promise<Edit> {
  return await inTurn(file.real, async () => {
    const done = once && doneBy(file.journal, once);
    if (done) return done;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      // From the reading on: a slow process would lose to a quick one again and again.
      using _lock = await lockEdits(file);
      const before = readWhole(file);
      const { edit, lines } = decide(splitLines(before?.bytes ?? Buffer.alloc(0)));
      if (!lines) return edit;
      if (await replace(file, before, joinLines(lines), edit, once)) return edit;
    }
    throw new FacetFileError(`${file.path} keeps changing while it is written: try again`);
  });
}

type Content = ReturnType<typeof readWhole>;

/** Whether it was replaced: not if it no longer holds what was read. */
async function replace(
  file: FacetFile,
  before: Content,
  after: Buffer,
  edit: Edit,
  once: CallKey | undefined,
): Promise<boolean> {
  const { journal, path, real } = file;
  if (after.length > maxFileBytes)
    throw new FacetFileError(`${path} would have ${after.length} bytes: at most ${maxFileBytes} are allowed`);
  const isPrivate = real.startsWith(join(journal, sep));
  // In a work folder elsewhere the user's umask says who may read what is new.
  await mkdir(dirname(real), { recursive: true, mode: isPrivate ? 0o700 : 0o777 });
  const temporary = await writeBeside(real, after, before?.mode ?? (isPrivate ? 0o600 : 0o666));
  let isReplaced = false;
  try {
    if (once) await noteCall(journal, once, edit, temporary);
    isReplaced = renameUnlessChanged(file, before, temporary);
    return isReplaced;
  } finally {
    if (!isReplaced) {
      // The note first: without the temporary file it would say that the change was made.
      if (once) dropCallNote(journal, once);
      await rm(temporary, { force: true });
    }
  }
}

/** Only the user's editor gets between the comparison and the renaming. */
function renameUnlessChanged(file: FacetFile, before: Content, temporary: string): boolean {
  const now = readWhole(file);
  const isSame = before === null ? now === null : now !== null && before.bytes.equals(now.bytes);
  if (isSame) renameSync(temporary, file.real);
  return isSame;
}

/** One change at a time in a journal, whichever process makes it. The lock dies with its holder. */
async function lockEdits(file: FacetFile): Promise<Disposable> {
  makePrivateFolders(file.journal);
  const lock = await awaitFileLock(runtime(file.journal, "edits.lock"), lockTimeoutMs);
  if (!lock) throw new FacetFileError(`${file.path}: other files are being written all the time: try again`);
  return lock;
}

const queues = new Map<string, Promise<void>>();

/** One change of a file after the other. */
async function inTurn<T>(path: string, change: () => Promise<T>): Promise<T> {
  const former = queues.get(path);
  const { promise, resolve } = Promise.withResolvers<void>();
  queues.set(path, promise);
  try {
    await former;
    return await change();
  } finally {
    if (queues.get(path) === promise) queues.delete(path);
    resolve();
  }
}
