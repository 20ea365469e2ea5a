/** The copy of a run's file whose run is another host's: it grows line by line as the original did, and gets its final name when that has. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { readDocument } from "../../files/json-document.ts";
import { hasCode } from "../../files/errors/errno.ts";
import { isTerminal } from "../../protocol/runs/event.ts";
import { AgentId } from "../../protocol/names/names.ts";
import { state } from "../config/paths.ts";
import { fileLines, type Torn } from "../../files/lines/file-lines.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { replaceFile } from "../../files/writing/replace-file.ts";
import { runFolder } from "../run-folders/run-folder.ts";
import { activeFile, compressedFile, endedFile, runState } from "./run-files.ts";
import { lineHash } from "../chain/hash-chain.ts";
import { endOfFile } from "./end-of-file.ts";
import { noteEnd, noteRemoved } from "../chain/run-heads.ts";
import { commitRun } from "./run-log.ts";

// A mark for each copy in progress: nobody takes its file for one of a run of this host's own. In it, the copy's epoch.
const marks = (journal: string) => state(journal, "mirror");
const mark = (journal: string, agentId: string) => join(marks(journal), agentId);

/** Whether the file is a copy in progress. */
export const isMirrored = (journal: string, agentId: string) => existsSync(mark(journal, agentId));

/** Whether the run is one of this host's own whose finalization is pending: then nobody else writes its file. */
export const isOwnRun = (journal: string, agentId: string) => existsSync(runFolder(journal, agentId));

/** The copies in progress. */
export function mirroredRuns(journal: string): string[] {
  if (!existsSync(marks(journal))) return [];
  return readdirSync(marks(journal)).filter((name) => AgentId.safeParse(name).success);
}

/** From now on the file is this host's own to write. */
export const claimMirrored = (journal: string, agentId: string) => rmSync(mark(journal, agentId), { force: true });

export class MirroredRun {
  readonly agentId: string;
  readonly #journal: string;
  /** How many lines it has, and bytes. */
  lines = 0;
  size = 0;
  hasTerminal = false;
  /** The epoch of the worker that wrote the last line. */
  epoch = 0;

  private constructor(journal: string, agentId: string) {
    this.#journal = journal;
    this.agentId = agentId;
  }

  /** The file as it stands; a torn last line is cut. */
  static async open(journal: string, agentId: string): Promise<MirroredRun> {
    const run = new MirroredRun(journal, agentId);
    if (runState(journal, agentId) !== "absent") await run.#read();
    if (isMirrored(journal, agentId)) run.epoch = Number(readFileSync(mark(journal, agentId), "utf8")) || 0;
    return run;
  }

  get #path(): string {
    return runState(this.#journal, this.agentId) === "ended"
      ? endedFile(this.#journal, this.agentId)
      : activeFile(this.#journal, this.agentId);
  }

  /** The file may have grown by somebody else's hand. */
  async refresh(): Promise<void> {
    if ((statSync(this.#path, { throwIfNoEntry: false })?.size ?? this.size) !== this.size) await this.#read();
  }

  /** One that has ended and was compressed is whole: nothing comes to it any more. */
  async #read(): Promise<void> {
    const path = existsSync(this.#path) ? this.#path : compressedFile(this.#journal, this.agentId);
    const found = { lines: 0, size: 0, hasTerminal: false };
    const torn: Torn = { bytes: 0 };
    for await (const { bytes, end } of fileLines(path, { torn })) {
      found.lines++;
      found.size = end;
      found.hasTerminal ||=
        terminalWords.some((word) => bytes.includes(word)) && isTerminalLine(bytes.toString("utf8"));
    }
    // Nobody has gone on with it since.
    const isTorn = torn.bytes > 0 && statSync(path, { throwIfNoEntry: false })?.size === found.size + torn.bytes;
    if (isTorn && !path.endsWith(".gz")) truncateSync(path, found.size);
    Object.assign(this, found);
  }

  /** Appends the next line, which a worker of that epoch has written. */
  append(line: string, epoch: number): void {
    const path = this.#path;
    const isNew = !existsSync(path);
    if (isNew || (epoch > this.epoch && isMirrored(this.#journal, this.agentId))) this.#mark(epoch);
    if (isNew) mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const bytes = Buffer.from(`${line}\n`);
    try {
      appendFileSync(path, bytes, { mode: 0o600 });
    } catch (error) {
      if (existsSync(path)) truncateSync(path, this.size); // a full disk takes a part
      throw error;
    }
    this.lines++;
    this.size += bytes.length;
    this.epoch = Math.max(epoch, this.epoch);
    this.hasTerminal ||= isTerminalLine(line);
    if (path === endedFile(this.#journal, this.agentId))
      noteEnd(this.#journal, this.agentId, { lines: this.lines, head: lineHash(line) });
  }

  /** Takes back what a worker wrote that has lost the run: only the first lines stay. */
  async cutTo(lines: number): Promise<void> {
    let [count, size] = [0, 0];
    if (lines > 0)
      for await (const { end } of fileLines(this.#path)) {
        size = end;
        if (++count === lines) break;
      }
    truncateSync(this.#path, size);
    await this.#read();
    this.#noteCut();
  }

  /** Notes that an ended copy was cut: what it has lost to the worker that took the run over is not damage. */
  #noteCut(): void {
    if (this.#path !== endedFile(this.#journal, this.agentId)) return;
    noteRemoved(this.#journal, this.agentId, "set_aside");
    const end = endOfFile(this.#path);
    if (end) noteEnd(this.#journal, this.agentId, end);
  }

  #mark(epoch: number): void {
    mkdirSync(marks(this.#journal), { recursive: true, mode: 0o700 });
    writeFileSync(mark(this.#journal, this.agentId), String(epoch), { mode: 0o600 });
  }

  /** Makes what it has last. */
  sync(): void {
    if (!existsSync(this.#path)) return;
    const file = openSync(this.#path, "r");
    fsyncSync(file);
    closeSync(file);
  }

  /** The original has ended: its copy gets its final name. Safe to repeat. */
  end(): void {
    this.sync();
    commitRun(this.#journal, this.agentId);
    claimMirrored(this.#journal, this.agentId);
  }
}

/** A part of a run's file, from a byte on; null when there is no such file. */
export function runBytes(journal: string, agentId: string, offset: number, maxBytes: number): Buffer | null {
  for (const path of [endedFile(journal, agentId), activeFile(journal, agentId), endedFile(journal, agentId)]) {
    let file: number;
    try {
      file = openSync(path, "r");
    } catch (error) {
      if (hasCode(error, "ENOENT")) continue;
      throw error;
    }
    try {
      const buffer = Buffer.alloc(Math.max(0, Math.min(maxBytes, fstatSync(file).size - offset)));
      return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
    } finally {
      closeSync(file);
    }
  }
  return null;
}

/** Up to where the events of the bus have been copied, and of which stream: another one begins anew. */
export const MirrorPosition = z.object({ stream: z.string(), seq: z.number().int().nonnegative() });
export type MirrorPosition = z.infer<typeof MirrorPosition>;

const positionFile = (journal: string) => state(journal, "mirror.json");

export function readMirrorPosition(journal: string): MirrorPosition | null {
  return readDocument(positionFile(journal), MirrorPosition);
}

export const writeMirrorPosition = (journal: string, position: MirrorPosition) =>
  replaceFile(positionFile(journal), JSON.stringify(position));

const terminalWords = ['"event":"finish"', '"event":"error"'].map((word) => Buffer.from(word));

function isTerminalLine(line: string): boolean {
  if (!/"event":"(finish|error)"/.test(line)) return false;
  const event = parseEventLine(line);
  return event !== null && isTerminal(event);
}
