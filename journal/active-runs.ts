/** The runs of which something may be owed. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { liveRuns, liveRunsFolder } from "./run-folder.ts";
import { parseRunFileName, runsFolder } from "./run-files.ts";

/** Their ids, oldest first. Each has a folder of its own; only where `.run/` was deleted are all days looked through. */
export function activeRuns(journal: string): string[] {
  return existsSync(liveRunsFolder(journal)) ? liveRuns(journal) : activeFiles(journal);
}

function activeFiles(journal: string): string[] {
  const ids = days(journal).flatMap((day) =>
    readdirSync(join(runsFolder(journal), day)).flatMap((name) => {
      const parsed = parseRunFileName(name);
      return parsed?.isActive ? [parsed.agentId] : [];
    }),
  );
  return ids.toSorted();
}

/** The days that have runs, newest last. */
export function days(journal: string): string[] {
  if (!existsSync(runsFolder(journal))) return [];
  return readdirSync(runsFolder(journal))
    .filter((name) => /^\d{8}$/.test(name))
    .toSorted();
}
