/**
 * An old run's file, `<id>.jsonl.gz`, which `zcat` can read. Where the plain file stands beside it, that one counts: so a
 * crash at any step of either way leaves the run whole.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  linkSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { whileEndedLocked } from "./ended-lock.ts";
import { namesIfThere } from "../../files/folder-entries.ts";
import { commits, syncablePath } from "../../files/writing/group-commit.ts";
import { compressedFile, endedFile } from "../runs/run-files.ts";
import { syncFolder } from "../runs/run-log.ts";

/**
 * Compresses the file of an ended run. Nobody else may do so at the same time.
 * @returns how many bytes it has now, or null when the file was appended to meanwhile, and stays as it is
 */
export async function compressRun(journal: string, agentId: string): Promise<number | null> {
  const plain = endedFile(journal, agentId);
  const packed = compressedFile(journal, agentId);
  const temporary = `${packed}.tmp`;
  const before = statSync(plain);
  const [written, read] = [createHash("sha256"), createHash("sha256")];
  // Of the same bytes that are packed: lines may be appended meanwhile.
  const noted = async function* (pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      written.update(piece);
      yield piece;
    }
  };
  await pipeline(createReadStream(plain), noted, createGzip(), createWriteStream(temporary, { mode: 0o600 }));
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

/** The name of a file that compressing and unpacking write until it is whole. */
const temporaryName = /^\d{13}\.jsonl\.(?:gz|[0-9a-f-]{36})\.tmp$/;
/** Nobody unpacks for so long. */
const leftAfterMs = 86_400_000;

/** Removes what was left by who was killed in the middle of it. The caller is the only one who compresses. */
export function removeHalves(folder: string, now = Date.now()): void {
  for (const name of namesIfThere(folder)) {
    if (!temporaryName.test(name)) continue;
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && now - stats.mtimeMs >= leftAfterMs) rmSync(path, { force: true });
  }
}

/**
 * Makes a compressed run's file plain again, where only that one is there. It is unpacked in pieces beside it, and gets its
 * name when it is whole.
 */
export async function unpackRun(journal: string, agentId: string): Promise<void> {
  const plain = endedFile(journal, agentId);
  const packed = compressedFile(journal, agentId);
  const before = statSync(packed, { throwIfNoEntry: false });
  if (!before || statSync(plain, { throwIfNoEntry: false })) return;
  const temporary = `${plain}.${randomUUID()}.tmp`;
  try {
    await pipeline(createReadStream(packed), createGunzip(), createWriteStream(temporary, { mode: 0o600 }));
    await commits.lasting(syncablePath(temporary));
    whileEndedLocked(journal, () => {
      const now = statSync(packed, { throwIfNoEntry: false });
      const isSame = now?.size === before.size && now.mtimeMs === before.mtimeMs;
      if (!isSame || statSync(plain, { throwIfNoEntry: false })) return; // somebody else has unpacked it, or packed it anew
      linkSync(temporary, plain);
      syncFolder(dirname(plain));
      rmSync(packed);
    });
  } finally {
    rmSync(temporary, { force: true });
  }
}
