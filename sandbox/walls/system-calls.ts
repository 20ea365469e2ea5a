/** The file with the filter of system calls, as bubblewrap takes it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { seccompFilter } from "./seccomp-filter.ts";

/**
 * Keeps the filter of system calls where no sandbox can write. One that is there stays: another sandbox may be reading it at
 * this moment, and would not begin with less than all of it. Null where there is none.
 */
export async function writeFilter(folder: string): Promise<string | null> {
  const filter = seccompFilter();
  if (filter === null) return null;
  const path = join(folder, "filter");
  const kept = await readFile(path).catch(() => null);
  if (!kept?.equals(filter)) await replaceFile(path, filter);
  return path;
}
