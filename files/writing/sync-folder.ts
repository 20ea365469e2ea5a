/** Makes a folder's new, replaced and removed names last: a file that is safe on the disk may lose its name in a power cut. */
import { open } from "node:fs/promises";

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, "r");
  await folder.sync();
}
