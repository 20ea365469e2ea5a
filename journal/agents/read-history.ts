/** Pages of what was said to and by an agent, read from the end of its history or of an archive of it, beside its one writer. */
import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { linesFromEnd } from "../../files/lines/lines-from-end.ts";
import { maxOwnJsonDepth, parseLine } from "../../protocol/json/parse-json.ts";
import { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { archiveFolder, historyFile } from "./agent-files.ts";

/** `next`: where the page before begins; null: there is none. */
export type HistoryPage = { items: HistoryRecord[]; next: number | null };

/** As `AgentHistory` names them. */
const archiveName = /^\d{4}-\d{2}-\d{2}-\d{9}-\d{1,6}\.jsonl$/;

/** The names of the conversations that were put away, the newest first. */
export function listArchives(journal: string, id: string): string[] {
  try {
    return readdirSync(archiveFolder(journal, id))
      .filter((name) => archiveName.test(name))
      .toSorted()
      .toReversed();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/**
 * The last records before an offset, oldest first.
 * @param archive the name of one; null: what isn't put away
 * @returns null when there is no such conversation
 */
export function readHistory(
  journal: string,
  id: string,
  { archive, before, limit }: { archive: string | null; before: number | null; limit: number },
): HistoryPage | null {
  if (archive !== null && !archiveName.test(archive)) return null;
  const path = archive === null ? historyFile(journal, id) : join(archiveFolder(journal, id), archive);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP")) return null;
    throw error;
  }
  try {
    if (!fstatSync(file).isFile()) return null;
    const items: HistoryRecord[] = [];
    for (const { bytes, begin, end } of linesFromEnd(file)) {
      if (before !== null && end > before) continue;
      if (items.length === limit) return { items: items.toReversed(), next: end };
      const { data } = HistoryRecord.safeParse(parseLine(bytes.toString("utf8"), maxOwnJsonDepth));
      if (data) items.push(data);
      if (begin === 0) break;
    }
    return { items: items.toReversed(), next: null };
  } finally {
    closeSync(file);
  }
}
