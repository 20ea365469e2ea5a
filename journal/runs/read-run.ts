/** Reads the file of a run, ended or in progress, line by line. A line that can't be read is passed over; a torn last one isn't there yet. */
import { statSync } from "node:fs";
import { hasCode } from "../../files/errors/errno.ts";
import { AgentEvent } from "../../protocol/runs/event.ts";
import { fileLines } from "../../files/lines/file-lines.ts";
import type { CutLine } from "../../files/lines/line-cutter.ts";
import { parseEventLine } from "../chain/event-line.ts";
import { activeFile, compressedFile, endedFile } from "./run-files.ts";

/** A line of a run's file that is an event. */
export type RunLine = { line: string; event: AgentEvent };

/**
 * A run that is read more than once, each time from a line on. It remembers where the last line stood that it has read, so
 * that a file which grows is read once.
 */
export class RunReader {
  readonly #journal: string;
  readonly #agentId: string;
  /** The number of the line that begins at the offset. */
  #number = 1;
  #offset = 0;

  constructor(journal: string, agentId: string) {
    this.#journal = journal;
    this.#agentId = agentId;
  }

  /**
   * The events from a line's number on. None when there is no such run.
   * @param words only lines with one of these are looked at; absent: all
   * @throws FileLinesError
   */
  async *lines(from = 1, words?: readonly Buffer[]): AsyncGenerator<RunLine> {
    for await (const { bytes } of this.#from(from)) {
      if (words && !words.some((word) => bytes.includes(word))) continue;
      const line = bytes.toString("utf8");
      const event = parseEventLine(line);
      if (event && event.seq >= from) yield { line, event };
    }
  }

  /** The events alone. @throws FileLinesError */
  async *events(from = 1): AsyncGenerator<AgentEvent> {
    for await (const { event } of this.lines(from)) yield event;
  }

  async *#from(from: number): AsyncGenerator<CutLine> {
    // The ended file last: a run that ends between the two looks is found. So is one that is compressed, or unpacked, meanwhile.
    const [ended, packed] = [endedFile(this.#journal, this.#agentId), compressedFile(this.#journal, this.#agentId)];
    for (const path of [ended, packed, activeFile(this.#journal, this.#agentId), ended, packed])
      try {
        return yield* this.#linesIn(path, from);
      } catch (error) {
        if (!hasCode(error, "ENOENT")) throw error;
      }
  }

  async *#linesIn(path: string, from: number): AsyncGenerator<CutLine> {
    // A copy of another host's run may have been cut, and have grown again, since.
    const isKnown = from >= this.#number && this.#offset > 0 && this.#continues(await firstLine(path, this.#offset));
    let number = isKnown ? this.#number : 1;
    for await (const line of fileLines(path, { offset: isKnown ? this.#offset : 0 })) {
      if (number >= from) yield line;
      number++;
      if (number > this.#number || !isKnown) [this.#number, this.#offset] = [number, line.end];
    }
  }

  #continues(next: CutLine | null): boolean {
    return next === null || parseEventLine(next.bytes.toString("utf8"))?.seq === this.#number;
  }
}

/** The first whole line from an offset on, or null. */
async function firstLine(path: string, offset: number): Promise<CutLine | null> {
  if (!path.endsWith(".gz") && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) < offset)
    return { bytes: Buffer.alloc(0), end: 0 };
  for await (const line of fileLines(path, { offset })) return line;
  return null;
}

/**
 * The first event of these names that fits, or null. Only lines in which such a name stands are parsed.
 * @throws FileLinesError
 */
export async function findEvent(
  journal: string,
  agentId: string,
  names: readonly string[],
  fits: (event: AgentEvent) => boolean = () => true,
): Promise<AgentEvent | null> {
  const words = names.map((name) => Buffer.from(`"${name}"`));
  for await (const { event } of new RunReader(journal, agentId).lines(1, words))
    if (names.includes(event.event) && fits(event)) return event;
  return null;
}
