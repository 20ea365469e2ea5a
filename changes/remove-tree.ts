/** Removes files that a run left, whatever modes it gave to their folders. What can't be removed stays, and is in nobody's way. */
import { chmodSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isRealFolder } from "../files/folder-entries.ts";

export function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    try {
      openFolders(path);
      rmSync(path, { recursive: true, force: true });
    } catch {
      // It is somebody else's.
    }
  }
}

/** Lets us into each folder. Links aren't followed. */
function openFolders(path: string): void {
  if (!isRealFolder(path)) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}
