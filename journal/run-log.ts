/** The file of a run in progress: claimed once, appended to by one writer, closed by a name that nobody had before. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { AgentEvent } from "../protocol/event.ts";
import { parseEventLine } from "./read-run.ts";
import { activeFile, endedFile, runState } from "./run-files.ts";

/** How long a writer waits before it tries a full disk again. */
const fullDiskMs = 1000;

export class RunLog {
  readonly agentId: string;
  readonly #journal: string;
  readonly #file: number;
  #size: number;
  #seq: number;

  private constructor(journal: string, agentId: string, file: number, size: number, seq: number) {
    this.#journal = journal;
    this.agentId = agentId;
    this.#file = file;
    this.#size = size;
    this.#seq = seq;
  }

  /** Claims an id by making its file, or returns null when it's taken. */
  static claim(journal: string, agentId: string): RunLog | null {
    const path = activeFile(journal, agentId);
    mkdirSync(dirname(path), { recursive: true });
    if (runState(journal, agentId) !== "absent") return null;
    try {
      return new RunLog(journal, agentId, openSync(path, "ax", 0o644), 0, 0);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EEXIST") return null;
      throw error;
    }
  }

  /** Takes up the file of a run in progress. A torn last line is cut: it will be read again from the raw output. */
  static resume(journal: string, agentId: string): { log: RunLog; events: AgentEvent[] } {
    const path = activeFile(journal, agentId);
    const bytes = readFileSync(path);
    const size = bytes.lastIndexOf(10) + 1;
    const lines = bytes.subarray(0, size).toString("utf8").split("\n").slice(0, -1);
    const file = openSync(path, "a");
    if (size < bytes.length) ftruncateSync(file, size);
    const events = lines.map(parseEventLine).filter((event) => event !== null);
    return { log: new RunLog(journal, agentId, file, size, lines.length), events };
  }

  /** The number of the next line. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** Appends whole lines. On a full disk it waits: the lines are never torn, never fused, never lost. */
  async append(lines: string[]): Promise<void> {
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    while (!this.#write(bytes)) await delay(fullDiskMs);
    this.#size += bytes.length;
    this.#seq += lines.length;
  }

  #write(bytes: Buffer): boolean {
    try {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
      return true;
    } catch (error) {
      ftruncateSync(this.#file, this.#size);
      if (error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT"))
        return false;
      throw error;
    }
  }

  /** Ends the run: its file gets its final name. A file of that name is never replaced. */
  close(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
    commitRun(this.#journal, this.agentId);
  }

  /** Lets go of the file and leaves the run in progress. */
  release(): void {
    closeSync(this.#file);
  }
}

/** Gives the file of a run its final name. `link` refuses a name that exists; safe to repeat after a crash between the two steps. */
export function commitRun(journal: string, agentId: string): void {
  const active = activeFile(journal, agentId);
  const ended = endedFile(journal, agentId);
  if (!existsSync(active)) return;
  try {
    linkSync(active, ended);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  unlinkSync(active);
  syncFolder(dirname(ended));
}

/** Makes a folder's new and removed names last. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
