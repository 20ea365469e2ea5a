/** Quarantine of a fenced run: what this worker wrote of a run that another has taken over is kept for people to look at. */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { activeFile, endedFile } from "../runs/run-files.ts";
import { noteRemoved } from "../chain/run-heads.ts";
import { runtime } from "../config/paths.ts";

/** Moves a run's file to `.run/fenced/`. */
export function quarantineRun(journal: string, agentId: string): void {
  const folder = runtime(journal, "fenced");
  for (const path of [activeFile(journal, agentId), endedFile(journal, agentId)]) {
    if (!existsSync(path)) continue;
    if (path === endedFile(journal, agentId)) noteRemoved(journal, agentId, "set_aside");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    renameSync(path, join(folder, `${agentId}-${Date.now()}.jsonl`));
  }
}
