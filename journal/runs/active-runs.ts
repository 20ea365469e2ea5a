/** The runs whose finalization may be pending. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { namesIfThere } from "../../files/folder-entries.ts";
import { isMirrored } from "./mirrored-run.ts";
import { liveRuns, liveRunsFolder } from "../run-folders/run-folder.ts";
import { runsWithSecrets } from "../run-folders/run-secrets.ts";
import { parseRunFileName, runsFolder } from "./run-files.ts";

/** Their ids, oldest first. Each has a folder of its own; only where `.run/` was deleted are all days looked through. What is handed on outlasts it. */
export function activeRuns(journal: string): string[] {
  const ids = existsSync(liveRunsFolder(journal)) ? liveRuns(journal) : activeFiles(journal);
  return [...new Set([...ids, ...runsWithSecrets(journal)])].toSorted();
}

/** The ids of all files in progress that are no copies of another host's, oldest first. */
export function activeFiles(journal: string): string[] {
  const names = runDays(journal).flatMap((day) => namesIfThere(join(runsFolder(journal), day)));
  const ids = names.flatMap((name) => {
    const parsed = parseRunFileName(name);
    return parsed?.isActive && !isMirrored(journal, parsed.agentId) ? [parsed.agentId] : [];
  });
  return ids.toSorted();
}

/** The days that have runs, newest last. */
export function runDays(journal: string): string[] {
  if (!existsSync(runsFolder(journal))) return [];
  return readdirSync(runsFolder(journal))
    .filter((name) => /^\d{8}$/.test(name))
    .toSorted();
}
