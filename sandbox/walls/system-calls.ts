/** The file with the filter of system calls, as bubblewrap takes it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { seccompFilter } from "./seccomp-filter.ts";

/** Keeps the filter of system calls where no sandbox can write. Null where there is none. */
export async function writeFilter(folder: string, sockets: "none" | "unix"): Promise<string | null> {
  const filter = seccompFilter(sockets);
  if (filter === null) return null;
  const path = join(folder, `filter-${sockets}`);
  await writeFile(path, filter, { mode: 0o600 });
  return path;
}
