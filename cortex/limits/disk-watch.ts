/**
 * Watches the disk that runs write their output to. A process whose write fails for want of room often goes on without
 * that line: so runs are stopped before the disk is full, and none is believed to have finished while it was.
 */
import { giveUpReserve, hasReserve, holdReserve, outputSpace } from "../../journal/runs/reserve.ts";
import type { Logger } from "../../proc/logging/log.ts";

const mebibyte = 1024 * 1024;
/** Of a small disk a part. */
const partOfDisk = 64;
/** Where there is less, runs are stopped. Theirs is what they print until they are. */
const mostLowBytes = 16 * mebibyte;
/** For the terminal events of runs that are stopped. */
const mostReserveBytes = 4 * mebibyte;
/** Where there is less than this part of the low mark, something may have been lost already. */
const partOfLow = 16;
/** A disk takes no more in a millisecond: the less is free, the sooner it is looked at. */
const bytesPerMs = mebibyte;
const lookMs = { least: 25, most: 1000 };

type Watched = { onFull: (error: string) => void };

/** One for all runs. */
export class DiskWatch {
  readonly #journal: string;
  readonly #log: Logger;
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: string, log: Logger) {
    this.#journal = journal;
    this.#log = log;
  }

  /**
   * Watches for a run until it is disposed of, or the disk is full.
   * @param onFull hears once, at once, that what the run prints can't be kept
   */
  over(onFull: (error: string) => void): Disposable {
    const watched = { onFull };
    this.#watched.add(watched);
    if (this.#watched.size === 1) this.#lookIn(lookMs.least);
    return { [Symbol.dispose]: () => this.#watched.delete(watched) };
  }

  /** Whether one more run may write: only with the reserve behind it. */
  mayStart(): boolean {
    return this.look() === null && hasReserve(this.#journal);
  }

  /** Looks now. Gives up the reserve where that helps; else all who are watched for hear why not, and so does the caller. */
  look(): string | null {
    return this.#look().error;
  }

  #look(): { error: string | null; spare: number } {
    const { free, low, reserve } = this.#space();
    if (free >= low) {
      if (free >= 2 * low + reserve) holdReserve(this.#journal, reserve);
      return { error: null, spare: free - low };
    }
    const isGivenUp = giveUpReserve(this.#journal);
    if (isGivenUp) this.#log.warn({ free }, "the disk of runs' output is nearly full: the reserve is given up");
    if (isGivenUp && free >= low / partOfLow) return { error: null, spare: 0 };
    const error = `disk full: ${free} bytes are free where runs' output is kept, and what it prints could be lost. Make room on that disk, then ask again`;
    this.#tell(error, free);
    return { error, spare: 0 };
  }

  #space(): { free: number; low: number; reserve: number } {
    const { free, total } = outputSpace(this.#journal);
    const part = Math.floor(total / partOfDisk);
    return { free, low: Math.min(mostLowBytes, part), reserve: Math.min(mostReserveBytes, part) };
  }

  #tell(error: string, free: number): void {
    const told = [...this.#watched];
    this.#watched.clear();
    if (told.length > 0)
      this.#log.error({ free, runs: told.length }, "the disk of runs' output is full: runs are stopped");
    for (const { onFull } of told) onFull(error);
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#watched.size === 0) return;
      const { spare } = this.#look();
      this.#lookIn(Math.min(lookMs.most, Math.max(lookMs.least, spare / bytesPerMs)));
    }, ms);
  }
}
