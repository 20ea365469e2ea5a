/**
 * What the agent of an attempt has written, read from where its run's file stands: lines become events, and the place in
 * the output is noted as the file goes on. What is to come of an event, the run decides.
 */
import { join } from "node:path";
import { noteRawPosition, rawPosition } from "../journal/raw-cursor.ts";
import { reached } from "../proc/durable-point.ts";
import { follow } from "../proc/follow.ts";
import { endOfRun } from "../proc/life-line.ts";
import { type Line, LineSplitter } from "../proc/lines.ts";
import { tailOf } from "../proc/tail.ts";
import type { EventBody } from "../protocol/event.ts";
import { outputError } from "./output-cap.ts";
import { parseLine } from "./parse-line.ts";

/** How many events are written and published together at most. */
const batchSize = 256;
/** How much of stderr explains a crash: the last 64 KiB, from the contract. */
const traceBytes = 64 * 1024;
/** How much more of it is read to find the secrets that begin before. */
const marginBytes = 8 * 1024;
/** After so much output the place in it is noted again, so that a restart needn't read all of it. */
const noteEveryBytes = 4 * 1024 * 1024;

/** What the run does with what is read. */
export type OutputHearer = {
  /** The number of its file's next line. */
  nextSeq: () => number;
  /** Something was printed, whatever it says. */
  heard: () => void;
  /** Has the work wait for what is under way. */
  inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Whether an event needs no step of the table. */
  isPlain: (event: EventBody) => boolean;
  /** Writes plain events. */
  write: (events: EventBody[]) => Promise<unknown>;
  /**
   * Takes the step of the table that an event is.
   * @param take counts the line as read: at once, for whatever is written after it
   */
  step: (event: EventBody, take: () => void) => Promise<void>;
  /** Passes on an event that has no place in the file. */
  pass: (event: EventBody) => void;
  /** Something was used, which stands in the file. */
  used: () => Promise<void>;
  /** It printed too much: the rest isn't read. */
  tooMuch: (error: string) => Promise<void>;
  /** Resolves when the bus isn't too far behind. */
  paced: () => Promise<void>;
};

export class AgentOutput {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #run: OutputHearer;
  /** The offset in the raw output behind what the file has. */
  #consumed = 0;
  #noted = 0;
  /** How many events of the output behind it stand in the file all the same: a restart reads them again. */
  #skip = 0;

  /** @param folder of the attempt */
  constructor(folder: string, maxBytes: number, run: OutputHearer) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#run = run;
  }

  /** Goes on where a cortex that died was. */
  async resume(): Promise<void> {
    const { offset, skip } = rawPosition(this.#folder, this.#run.nextSeq());
    this.#consumed = offset;
    this.#skip = skip;
    // What was noted for a line that was then never written must not count for another that takes its place.
    await this.note();
  }

  /** Reads to the end, which comes when the last of the agent's processes is gone. */
  async read(): Promise<void> {
    const ended = endOfRun(this.#folder, new AbortController().signal);
    const lines = new LineSplitter(this.#consumed);
    for await (const chunk of follow(join(this.#folder, "out"), this.#consumed, ended)) {
      this.#run.heard();
      await this.#run.inTurn(() => this.#consume(lines.push(chunk)));
      await this.#run.paced();
    }
    await this.#run.inTurn(() => this.#consume(lines.finish()));
  }

  /** Reads the whole lines that are there by now. To be called in turn. */
  async readWhatIsThere(): Promise<void> {
    const lines = new LineSplitter(this.#consumed);
    for await (const chunk of follow(join(this.#folder, "out"), this.#consumed, Promise.resolve()))
      await this.#consume(lines.push(chunk));
  }

  /**
   * Notes where reading goes on.
   * @param ahead how many lines, none of the output, the file will have by then that it hasn't yet
   */
  async note(ahead = 0): Promise<void> {
    await noteRawPosition(this.#folder, this.#run.nextSeq() + ahead, { offset: this.#consumed, skip: this.#skip });
    reached("place noted");
    this.#noted = this.#consumed;
  }

  /** Lines become events. Plain ones, which are nearly all, are written in batches and need no step of the table. */
  async #consume(lines: Iterable<Line>): Promise<void> {
    let batch: EventBody[] = [];
    const flush = async () => {
      if (batch.length > 0) await this.#run.write(batch);
      batch = [];
      if (this.#consumed - this.#noted > noteEveryBytes) await this.note();
    };
    for (const line of lines) {
      // Somebody who couldn't wait has read ahead.
      if (line.end <= this.#consumed) continue;
      const take = () => {
        this.#consumed = line.end;
      };
      // Not at what was read by then, but at what was printed: the same lines count, however slowly they were read.
      if (line.end > this.#maxBytes) {
        await flush();
        return this.#run.tooMuch(outputError(this.#maxBytes));
      }
      const parsed = parseLine(line);
      if (parsed.kind === "event" && this.#skip > 0) {
        this.#skip--;
        take();
      } else if (parsed.kind === "event" && this.#run.isPlain(parsed.event)) {
        batch.push(parsed.event);
        take();
        if (batch.length >= batchSize || parsed.event.event === "usage") await flush();
        if (parsed.event.event === "usage") await this.#run.used();
      } else if (parsed.kind === "event") {
        await flush();
        await this.#run.step(parsed.event, take);
      } else {
        if (parsed.kind === "delta") await flush();
        if (parsed.kind === "delta" && this.#skip === 0) this.#run.pass(parsed.event);
        take();
      }
    }
    await flush();
  }
}

/**
 * The end of what an attempt has written on stderr, which may begin within a secret: then what is left of it is cut off as well.
 * @param hide gives text without secrets
 */
export async function traceOf(folder: string, hide: (text: string) => string): Promise<string> {
  const tail = await tailOf(join(folder, "err"), traceBytes + marginBytes);
  const shown = hide(tail);
  return Buffer.byteLength(tail) > traceBytes ? endOf(shown, traceBytes) : shown;
}

/** The last bytes of a text, from the first whole character on. */
function endOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  let from = Math.max(0, bytes.length - maxBytes);
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  return bytes.subarray(from).toString("utf8");
}
