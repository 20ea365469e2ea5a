/** Pages of what was said to and by an agent, read from the end of its history or of an archive of it, beside its one writer. */
import { closeSync, constants, fstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import { type EndLine, linesFromEnd } from "../../files/lines/lines-from-end.ts";
import { maxOwnJsonDepth, parseLine } from "../../protocol/json/parse-json.ts";
import { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { archiveFolder, historyFile, nextHistory } from "./agent-files.ts";

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
  const lines = historyLines(journal, id, archive);
  if (lines === null) return null;
  const items: HistoryRecord[] = [];
  for (const { bytes, begin, end } of lines) {
    if (before !== null && end > before) continue;
    if (items.length === limit) return { items: items.toReversed(), next: end };
    const record = historyRecord(bytes);
    if (record) items.push(record);
    if (begin === 0) break;
  }
  return { items: items.toReversed(), next: null };
}

/**
 * The whole lines of a conversation from its end, the last one first. The file is open until they are read, or no more of
 * them are asked for.
 * @param archive the name of one; null: what isn't put away
 * @returns null when there is no such conversation
 */
export function historyLines(journal: string, id: string, archive: string | null): Generator<EndLine> | null {
  if (archive !== null && !archiveName.test(archive)) return null;
  const file =
    archive === null ? openHistory(historyFile(journal, id)) : openFile(join(archiveFolder(journal, id), archive));
  return file === null ? null : linesOf(file);
}

/** While it is being put away, the next one stands beside it, and then in its place. */
const openHistory = (path: string) => openFile(path) ?? openFile(nextHistory(path)) ?? openFile(path);

/** Null for what can't be read as a record. */
export const historyRecord = (line: Buffer): HistoryRecord | null =>
  HistoryRecord.safeParse(parseLine(line.toString("utf8"), maxOwnJsonDepth)).data ?? null;

/** Null where there is none, or what stands there is a link or no file. */
function openFile(path: string): number | null {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ELOOP")) return null;
    throw error;
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return null;
}

function* linesOf(file: number): Generator<EndLine> {
  try {
    yield* linesFromEnd(file);
  } finally {
    closeSync(file);
  }
}
