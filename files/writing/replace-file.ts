/** Replaces a file whole: a reader finds the old text or the new one, never a part, also after a crash. */
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../errors/errno.ts";
import { temporaryBeside } from "./file-names.ts";

/** Writes to a temporary file beside it, then renames. Only the owner may read it unless `mode` says otherwise, or pass through folders made for it. */
export async function replaceFile(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = await writeBeside(path, content, mode);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Makes a file whole where there is none. False: something is there. Only the owner may read it. */
export async function createFile(path: string, content: string | Uint8Array): Promise<boolean> {
  const temporary = await writeBeside(path, content, 0o600);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if (hasCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Writes what a file shall hold to a temporary file beside it, safe on the disk, and returns its path: the caller renames it. */
export async function writeBeside(path: string, content: string | Uint8Array, mode: number): Promise<string> {
  const temporary = temporaryBeside(path);
  try {
    await using file = await open(temporary, "wx", mode);
    await file.writeFile(content);
    await file.sync();
    return temporary;
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
