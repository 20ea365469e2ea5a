/** The file of a run in progress: claimed once, appended to by one writer, closed by a name that nobody had before. */
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  unlinkSync,
} from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "../../files/errors/errno.ts";
import type { AgentEvent } from "../../protocol/runs/event.ts";
import type { Durability } from "../../protocol/settings/settings.ts";
import { appendWhole, whenRoom } from "../../files/writing/append-whole.ts";
import { isLockHeld } from "../../files/locks/file-lock.ts";
import { fileLines } from "../../files/lines/file-lines.ts";
import { commits, type Syncable, syncableFile, syncableFolder } from "../../files/writing/group-commit.ts";
import { lineHash } from "../chain/hash-chain.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { endOfFile } from "./end-of-file.ts";
import { activeFile, endedFile, runsFolder, runState } from "./run-files.ts";
import { headsLast, noteEnd, type RunEnd } from "../chain/run-heads.ts";

/** Where a file stands: what the next line needs to know of those before it. */
type End = { size: number; seq: number; head: string | null };

export class RunLog {
  readonly agentId: string;
  /** The latest time in the file when it was opened, in ms: no later line has an earlier one. 0: there was none. */
  readonly lastTs: number;
  readonly #journal: string;
  readonly #file: number;
  readonly #durability: Durability;
  readonly #syncable: Syncable;
  /** The folders in which its name is new. */
  #newIn: string[] = [];
  #end: End;

  private constructor(
    journal: string,
    agentId: string,
    file: number,
    durability: Durability,
    end: End,
    lastTs: number,
  ) {
    this.#journal = journal;
    this.agentId = agentId;
    this.#file = file;
    this.#durability = durability;
    this.#syncable = syncableFile(file);
    this.#end = end;
    this.lastTs = lastTs;
  }

  /** Claims an id by making its file, or returns null when it's taken. */
  static claim(journal: string, agentId: string, durability: Durability = "safe"): RunLog | null {
    const path = activeFile(journal, agentId);
    const isNewDay = mkdirSync(dirname(path), { recursive: true, mode: 0o700 }) !== undefined;
    if (runState(journal, agentId) !== "absent") return null;
    try {
      const file = openSync(path, "ax", 0o600);
      const log = new RunLog(journal, agentId, file, durability, { size: 0, seq: 0, head: null }, 0);
      log.#newIn = isNewDay ? [dirname(path), runsFolder(journal), journal] : [dirname(path)];
      return log;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return null;
      throw error;
    }
  }

  /**
   * Takes up the file of a run in progress. A torn last line is cut: it will be read again from the raw output.
   * @param onEvent hears each of its events
   * @throws FileLinesError
   */
  static async resume(
    journal: string,
    agentId: string,
    durability: Durability,
    onEvent: (event: AgentEvent) => void,
  ): Promise<RunLog> {
    const path = activeFile(journal, agentId);
    const end: End = { size: 0, seq: 0, head: null };
    let lastTs = 0;
    for await (const line of fileLines(path)) {
      end.seq++;
      end.size = line.end;
      end.head = lineHash(line.bytes);
      const event = parseEventLine(line.bytes.toString("utf8"));
      if (event) {
        lastTs = Math.max(lastTs, event.ts);
        onEvent(event);
      }
    }
    const file = openSync(path, "a");
    if (end.size < fstatSync(file).size) ftruncateSync(file, end.size);
    return new RunLog(journal, agentId, file, durability, end, lastTs);
  }

  /** The bytes of its whole lines. */
  get size(): number {
    return this.#end.size;
  }

  /** The number of the next line. */
  get nextSeq(): number {
    return this.#end.seq + 1;
  }

  /** The hash of the last line, which the next one carries. Null before the first. */
  get head(): string | null {
    return this.#end.head;
  }

  /**
   * Appends whole lines. On a full disk it waits: the lines are never torn, never fused, never lost.
   * @param mustLast resolves only when the lines are on the disk (`durability: "safe"`); the first line always is
   */
  async append(lines: string[], mustLast = false): Promise<void> {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    await appendWhole(this.#file, bytes, this.#end.size);
    this.#end = {
      size: this.#end.size + bytes.length,
      seq: this.#end.seq + lines.length,
      head: lineHash(lines.at(-1) ?? ""),
    };
    if (this.#durability === "fast") return;
    const isFirst = this.#newIn.length > 0;
    const folders = this.#newIn.map(syncableFolder);
    this.#newIn = [];
    if (!isFirst && !mustLast) return commits.soon(this.#syncable);
    await Promise.all([this.#syncable, ...folders].map((what) => commits.lasting(what)));
  }

  /**
   * Ends the run: its file gets its final name. A file of that name is never replaced.
   * @param onLinked heard while it has both names
   */
  async close(onLinked = () => {}): Promise<void> {
    if (this.#durability === "fast") await commits.lasting(this.#syncable);
    else await this.#syncPending();
    closeSync(this.#file);
    const { seq: lines, head } = this.#end;
    if (head !== null) await whenRoom(() => this.#noteEnd({ lines, head }));
    await whenRoom(() => void renameToEnded(this.#journal, this.agentId, onLinked));
    // At once: a power cut between the two would leave a run without its head.
    await Promise.all([commits.lasting(this.#folder), headsLast(this.#journal)]);
  }

  /** A run ends, whoever holds the heads' lock for long: then it has none, and `cortex audit verify` says so. */
  #noteEnd(end: RunEnd): void {
    try {
      noteEnd(this.#journal, this.agentId, end);
    } catch (error) {
      if (!isLockHeld(error)) throw error;
    }
  }

  /** Lets go of the file and leaves the run in progress. */
  async release(): Promise<void> {
    await this.#syncPending();
    closeSync(this.#file);
  }

  /** Nothing may be under way for a file that is closed: its number is soon another's. */
  async #syncPending(): Promise<void> {
    if (commits.isPending(this.#syncable)) await commits.lasting(this.#syncable);
  }

  get #folder(): Syncable {
    return syncableFolder(dirname(endedFile(this.#journal, this.agentId)));
  }
}

/** Gives the file of a run its final name, its head noted. Safe to repeat after a crash between the two steps. */
export function commitRun(journal: string, agentId: string): void {
  const active = activeFile(journal, agentId);
  const end = existsSync(active) ? endOfFile(active) : null;
  if (end) noteEnd(journal, agentId, end);
  if (renameToEnded(journal, agentId)) syncFolder(dirname(endedFile(journal, agentId)));
}

/** `link` refuses a name that exists, which a rename would replace. */
function renameToEnded(journal: string, agentId: string, onLinked = () => {}): boolean {
  const active = activeFile(journal, agentId);
  const ended = endedFile(journal, agentId);
  if (!existsSync(active)) return false;
  try {
    linkSync(active, ended);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
  onLinked();
  unlinkSync(active);
  return true;
}

/** Makes a folder's new and removed names last. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
