/** All that was ever said to an agent and by it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLines } from "../../files/lines/text-records.ts";
import { archiveFolder, historyFile } from "../../journal/agents/agent-files.ts";
import { HistoryRecord } from "../../protocol/agents/agent-files.ts";

/** Reads an agent's whole history, the archives first. */
export function allRecordsOf(journal: string, agent: string): HistoryRecord[] {
  const folder = archiveFolder(journal, agent);
  const archives = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [...archives, historyFile(journal, agent)].flatMap((path) => parseLines(readFileSync(path), HistoryRecord));
}
