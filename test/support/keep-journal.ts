/** The journal of a test that failed, for whoever wants to know why. */
import { cpSync, existsSync, lstatSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Copies what tells of agents, runs and programs. Returns the folder. */
export function keepJournal(journal: string): string {
  const folder = mkdtempSync(join(tmpdir(), "kept-journal-"));
  const isPipe = (path: string) => {
    const entry = lstatSync(path, { throwIfNoEntry: false });
    return !entry || entry.isFIFO() || entry.isSocket();
  };
  for (const name of ["agents", "runs", ".state", ".run"])
    if (existsSync(join(journal, name)))
      cpSync(join(journal, name), join(folder, name), { recursive: true, filter: (path) => !isPipe(path) });
  return folder;
}
