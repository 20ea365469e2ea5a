/**
 * The output of an attempt's agent, read from where its run's file stands: lines become events, and the place in the
 * output is noted as the file goes on. What is to come of an event, the run decides.
 */
import { failpoint } from "../../proc/programs/failpoint.ts";
import { type Line, LineSplitter } from "../../files/lines/line-splitter.ts";
import type { EventBody } from "../../protocol/runs/event.ts";
import type { PrintedOutput } from "../ports/run-processes.ts";
import { LineRate, linesError, maxFileLines, printedError, writtenError } from "./output-cap.ts";
import { parseLine } from "./parse-line.ts";

/** How many events are written and published together at most, and of how much output. */
const batchSize = 256;
const batchBytes = 1024 * 1024;
/** How many lines are read before whoever else wants something of the run has its turn, and the bus may catch up. */
const sliceLines = 1024;
/** Characters that a line of the file has beside the event: its time, the run's id, its number, a hash. */
const envelopeBytes = 160;
/** How much of stderr explains a crash: the last 64 KiB, from docs/contract.md. */
const traceBytes = 64 * 1024;
/** How much more of it is read to find the secrets that begin before. */
const marginBytes = 8 * 1024;
/** After so much output the place in it is noted again, so that a restart needn't read all of it. */
const noteEveryBytes = 4 * 1024 * 1024;

/** The run's handlers of what is read. */
export type OutputHearer = {
  /** The number of its file's next line. */
  nextSeq: () => number;
  /** Something was printed, whatever it says. */
  heard: () => void;
  /** The bytes of its file. */
  size: () => number;
  /** Has the work wait for what is under way. */
  inTurn: (work: () => Promise<void>) => Promise<void>;
  /** Whether an event needs no step of the table. */
  isPlain: (event: EventBody) => boolean;
  /** Writes plain events, as far as the file may grow. Resolves with those that were written. */
  write: (events: EventBody[], maxBytes: number) => Promise<unknown[]>;
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
  readonly #printed: PrintedOutput;
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #run: OutputHearer;
  readonly #rate: LineRate;
  /** It has printed too much: what follows isn't read any more. */
  #isFull = false;
  /** The offset in the raw output behind what the file has. */
  #consumed = 0;
  #noted = 0;
  /** How many events of the output behind it stand in the file all the same: a restart reads them again. */
  #skip = 0;

  /**
   * @param folder of the attempt
   * @param maxBytes what it may print, and how long the run's file may become by it
   * @param elapsedMs how long the attempt has run already
   */
  constructor(printed: PrintedOutput, folder: string, maxBytes: number, elapsedMs: number, run: OutputHearer) {
    this.#printed = printed;
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#rate = new LineRate(elapsedMs);
    this.#run = run;
  }

  /** Goes on where a cortex that died was. */
  async resume(): Promise<void> {
    const { offset, skip } = this.#printed.position(this.#folder, this.#run.nextSeq());
    this.#consumed = offset;
    this.#skip = skip;
    // What was noted for a line that was then never written must not count for another that takes its place.
    await this.notePlace();
  }

  /** Reads to the end, which comes when the last of the agent's processes is gone. */
  async read(): Promise<void> {
    const lines = new LineSplitter(this.#consumed);
    for await (const chunk of this.#printed.output(this.#folder, this.#consumed)) {
      this.#run.heard();
      if (this.#isFull) continue; // to the end, which says that its processes are gone
      for (const slice of slicesOf(lines.push(chunk))) {
        await this.#run.inTurn(() => this.#consume(slice));
        await this.#run.paced();
        if (this.#isFull) break;
      }
    }
    await this.#run.inTurn(() => this.#consume(lines.finish()));
  }

  /** Reads the whole lines that are there by now. To be called in turn. */
  async readWhatIsThere(): Promise<void> {
    const lines = new LineSplitter(this.#consumed);
    for await (const chunk of this.#printed.outputSoFar(this.#folder, this.#consumed))
      for (const slice of slicesOf(lines.push(chunk))) {
        if (this.#isFull) return;
        await this.#consume(slice);
        await this.#run.paced();
      }
  }

  /**
   * Notes where reading goes on.
   * @param ahead how many lines, none of the output, the file will have by then that it hasn't yet
   */
  async notePlace(ahead = 0): Promise<void> {
    const position = { offset: this.#consumed, skip: this.#skip };
    await this.#printed.notePosition(this.#folder, this.#run.nextSeq() + ahead, position);
    failpoint("place-noted");
    this.#noted = this.#consumed;
  }

  /** Lines become events. Plain ones, which are nearly all, are written in batches and need no step of the table. */
  async #consume(lines: Iterable<Line>): Promise<void> {
    let batch: EventBody[] = [];
    let bytes = 0;
    const flush = async () => {
      const events = batch;
      batch = [];
      bytes = 0;
      if (events.length > 0 && (await this.#run.write(events, this.#maxBytes)).length < events.length)
        await this.#stop(writtenError(this.#maxBytes));
      if (this.#consumed - this.#noted > noteEveryBytes) await this.notePlace();
    };
    for (const line of lines) {
      if (this.#isFull) return;
      // Somebody who couldn't wait has read ahead.
      if (line.end <= this.#consumed) continue;
      const take = () => {
        this.#consumed = line.end;
      };
      const tooMuch = this.#excess(line, batch.length);
      if (tooMuch !== null) {
        await flush();
        return this.#stop(tooMuch);
      }
      const parsed = parseLine(line);
      if (parsed.kind === "event" && this.#skip > 0) {
        this.#skip--;
        take();
      } else if (parsed.kind === "event" && this.#run.isPlain(parsed.event)) {
        batch.push(parsed.event);
        bytes += line.text.length;
        take();
        const isUsage = parsed.event.event === "usage";
        if (batch.length >= batchSize || bytes >= batchBytes || isUsage) await flush();
        if (isUsage && !this.#isFull) await this.#run.used();
      } else if (parsed.kind === "event") {
        await flush();
        if (this.#isFull) return;
        if (!this.#hasRoomFor(parsed.event)) return this.#stop(writtenError(this.#maxBytes));
        await this.#run.step(parsed.event, take);
      } else {
        if (parsed.kind === "delta") await flush();
        if (parsed.kind === "delta" && this.#skip === 0) this.#run.pass(parsed.event);
        take();
      }
    }
    await flush();
  }

  /** Why a line is one too many, or null. Not by what was read by then but by what was printed: the same lines count, however slowly they were read. */
  #excess(line: Line, waiting: number): string | null {
    if (line.end > this.#maxBytes) return printedError(this.#maxBytes);
    if (this.#run.nextSeq() + waiting > maxFileLines) return linesError;
    return this.#rate.count();
  }

  #hasRoomFor(event: EventBody): boolean {
    return this.#run.size() + Buffer.byteLength(JSON.stringify(event)) + envelopeBytes <= this.#maxBytes;
  }

  async #stop(error: string): Promise<void> {
    if (this.#isFull) return;
    this.#isFull = true;
    await this.#run.tooMuch(error);
  }
}

function* slicesOf(lines: Iterable<Line>): Generator<Line[]> {
  let slice: Line[] = [];
  for (const line of lines) {
    slice.push(line);
    if (slice.length < sliceLines) continue;
    yield slice;
    slice = [];
  }
  yield slice;
}

/**
 * The end of what an attempt has written on stderr, which may begin within a secret: then what is left of it is cut off as well.
 * @param errorsEnd gives so much of it
 * @param hide gives text without secrets
 */
export async function traceOf(
  errorsEnd: (maxBytes: number) => Promise<string>,
  hide: (text: string) => string,
): Promise<string> {
  const tail = await errorsEnd(traceBytes + marginBytes);
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
