/** Whether a persona's files are as they were when they were read. */
import { statSync } from "node:fs";
import { join } from "node:path";

/** Builds a stamp that differs when a file was written or replaced; empty when it isn't there. */
export function fileStamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : "";
}

/** Where a persona of this name has its files in the journal, whether or not they are there. */
export function filesOf(journal: string, name: string): string[] {
  const [stem = "", app] = name.split(":").toReversed();
  const folder = app === undefined ? join(journal, "personas") : join(journal, "apps", app, "personas");
  return [join(folder, `${stem}.txt`), join(folder, `${stem}.json`)];
}
