/**
 * An old run's file, `<id>.jsonl.gz`, which `zcat` can read. Where the plain file stands beside it, that one counts: so a
 * crash at any step of either way leaves the run whole.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip, gunzipSync } from "node:zlib";
import { whileEndedLocked } from "./ended-lock.ts";
import { commits, syncablePath } from "./group-commit.ts";
import { compressedFile, endedFile } from "./run-files.ts";
import { syncFolder } from "./run-log.ts";

/**
 * Compresses the file of an ended run. Nobody else may do so at the same time.
 * @returns how many bytes it has now, or null when the file was appended to meanwhile, and stays as it is
 */
export async function compress(journal: string, agentId: string): Promise<number | null> {
  const plain = endedFile(journal, agentId);
  const packed = compressedFile(journal, agentId);
  const temporary = `${packed}.tmp`;
  const before = statSync(plain);
  await pipeline(createReadStream(plain), createGzip(), createWriteStream(temporary, { mode: 0o600 }));
  const [written, read] = [createHash("sha256"), createHash("sha256")];
  await pipeline(createReadStream(plain), written);
  await pipeline(createReadStream(temporary), createGunzip(), read);
  if (written.digest("hex") !== read.digest("hex"))
    throw new Error(`${temporary} isn't what was written: it is left, and the run stays as it is`);
  utimesSync(temporary, before.atime, before.mtime); // how old a run is doesn't change
  await commits.lasting(syncablePath(temporary));
  renameSync(temporary, packed);
  await commits.lasting(syncablePath(dirname(packed))); // the plain one may go when this name lasts
  const isPacked = whileEndedLocked(journal, () => {
    const now = statSync(plain);
    const isSame = now.size === before.size && now.mtimeMs === before.mtimeMs;
    unlinkSync(isSame ? plain : packed);
    return isSame;
  });
  await commits.lasting(syncablePath(dirname(packed)));
  return isPacked ? statSync(packed).size : null;
}

/** Makes a compressed run's file plain again. The lock of ended files must be held. */
export function unpack(journal: string, agentId: string): void {
  const plain = endedFile(journal, agentId);
  const packed = compressedFile(journal, agentId);
  if (statSync(plain, { throwIfNoEntry: false })) return;
  if (!statSync(packed, { throwIfNoEntry: false })) return;
  const temporary = `${plain}.tmp`;
  writeLasting(temporary, gunzipSync(readFileSync(packed)));
  linkSync(temporary, plain);
  unlinkSync(temporary);
  syncFolder(dirname(plain));
  rmSync(packed);
}

function writeLasting(path: string, bytes: Buffer): void {
  const file = openSync(path, "w", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
