/**
 * The history of an agent, `history.jsonl`: what was said to it and by it. Where the conversation begins is its last
 * `start`, `reset` or `compact`; that is looked for from the end, so that a long past costs nothing.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { HistoryRecord } from "../../protocol/agents/agent-files.ts";
import { archiveFolder, historyFile, nextHistory } from "./agent-files.ts";
import { commits, syncablePath } from "../../files/writing/group-commit.ts";
import { LineFile } from "../../files/writing/line-file.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { parseLines } from "../../files/lines/text-records.ts";

const chunkBytes = 256 * 1024;
/** Further back nothing is of use: no summary takes in so much, and a begin so long ago needn't be known. */
const mostRecords = 10_000;
const markers = new Set(["start", "reset", "compact"]);
/** Whether nothing that stands before a record is part of the conversation. */
export const beginsConversation = ({ type }: HistoryRecord): boolean => markers.has(type);
const LF = 10;

export class AgentHistory implements Disposable {
  readonly #journal: string;
  readonly #id: string;
  #lines: LineFile;
  #records: HistoryRecord[];
  #ids: Set<string>;

  /** Opens it for its one writer. */
  constructor(journal: string, id: string) {
    this.#journal = journal;
    this.#id = id;
    finishArchiving(historyFile(journal, id));
    this.#lines = new LineFile(historyFile(journal, id));
    this.#records = fromLastMarker(this.#lines);
    this.#ids = new Set(this.#records.flatMap(idsOf));
  }

  /** The records from the last marker on. */
  get records(): readonly HistoryRecord[] {
    return this.#records;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Appends those that don't stand in it yet. Resolves when they last. */
  async append(...records: HistoryRecord[]): Promise<void> {
    const added: HistoryRecord[] = [];
    for (const record of records) {
      if (this.#ids.has(record.id)) continue;
      added.push(record);
      if (beginsConversation(record)) {
        this.#records = [];
        this.#ids.clear();
      }
      for (const id of idsOf(record)) this.#ids.add(id);
      this.#records.push(record);
    }
    if (added.length > 0) await this.#lines.append(added);
  }

  /**
   * Begins anew with a `compact` record; what was said until now goes to the archive.
   * @param first the record, and what stands behind it, from the archive's name
   */
  async archive(first: (archive: string) => readonly HistoryRecord[], now: Date): Promise<void> {
    const folder = archiveFolder(this.#journal, this.#id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const name = archiveName(folder, now);
    const records = first(name);
    const path = historyFile(this.#journal, this.#id);
    await replaceFile(nextHistory(path), records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    // After a crash between the two the next start does the second.
    renameSync(path, join(folder, name));
    renameSync(nextHistory(path), path);
    for (const changed of [folder, dirname(path)]) await commits.lasting(syncablePath(changed));
    this.#lines[Symbol.dispose]();
    this.#lines = new LineFile(path);
    this.#records = [...records];
    this.#ids = new Set(records.flatMap(idsOf));
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}

/** Its own, and those of the messages that it joins. */
function idsOf(record: HistoryRecord): string[] {
  const { items } = record;
  return Array.isArray(items) ? [record.id, ...items.map(String)] : [record.id];
}

function finishArchiving(path: string): void {
  if (!existsSync(path) && existsSync(nextHistory(path))) renameSync(nextHistory(path), path);
}

/** `YYYY-MM-DD-HHmmssSSS-n.jsonl`: those of one millisecond differ in their last number. */
function archiveName(folder: string, now: Date): string {
  const iso = now.toISOString();
  const stamp = `${iso.slice(0, 10)}-${iso.slice(11, 23).replaceAll(/[:.]/g, "")}`;
  for (let n = 1; ; n++) {
    const name = `${stamp}-${n}.jsonl`;
    if (!existsSync(join(folder, name))) return name;
  }
}

function fromLastMarker(lines: LineFile): HistoryRecord[] {
  const chunks: HistoryRecord[][] = [];
  let count = 0;
  let rest = Buffer.alloc(0);
  for (let to = lines.size; to > 0 && count < mostRecords; ) {
    const from = Math.max(0, to - chunkBytes);
    const bytes = Buffer.concat([lines.read(from, to - from), rest]);
    // What stands before the first LF may be the end of a longer line.
    const first = from === 0 ? 0 : bytes.indexOf(LF) + 1;
    const records = parseLines(bytes.subarray(first), HistoryRecord);
    const at = records.findLastIndex(beginsConversation);
    chunks.push(at < 0 ? records : records.slice(at));
    if (at >= 0) break;
    count += records.length;
    rest = Buffer.from(bytes.subarray(0, first));
    to = from;
  }
  return chunks.toReversed().flat();
}
