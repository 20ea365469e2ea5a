/**
 * Watches the disk that runs write their output to. A process whose write fails for want of room often goes on without
 * that line: so runs are stopped before the disk is full, and none is believed to have finished while it was.
 */
import { giveUpReserve, hasReserve, holdReserve, outputSpace } from "../../journal/run-folders/reserve.ts";
import type { Logger } from "../../proc/logging/log.ts";

const mebibyte = 1024 * 1024;
/** The divisor of a small disk's size that gives its limit. */
const partOfDisk = 64;
/** Where there is less, runs are stopped. Theirs is what they print until they are. */
const mostLowBytes = 16 * mebibyte;
/** For runs that are about to end, and for the ends of those that are stopped. */
const mostReserveBytes = 4 * mebibyte;
/** The part of the reserve that is kept until the runs that were stopped write no more: they would take that as well. */
const partForEnds = 4;
/** So long a stopped run may seem to write on: on a full disk it isn't always known who its process was. */
const dyingMs = 5000;
/** Where there is less than this part of the low mark, something may have been lost already. */
const partOfLow = 16;
/** A disk takes no more in a millisecond: the less is free, the sooner it is looked at. */
const bytesPerMs = mebibyte;
const lookMs = { least: 25, most: 1000 };

/** A run whose output is watched. */
export type WatchedRun = {
  /** Hears once, at once, that what it prints can't be kept. */
  onFull: (error: string) => void;
  /** Whether its process may still write. */
  mayWrite: () => boolean;
};

/** One for all runs. */
export class DiskWatch {
  readonly #journal: string;
  readonly #log: Logger;
  readonly #watched = new Set<WatchedRun>();
  /** The runs that were stopped, as long as they may still write, with when that was. */
  readonly #stopped = new Map<WatchedRun, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(journal: string, log: Logger) {
    this.#journal = journal;
    this.#log = log;
  }

  /** Watches for a run until it is disposed of, or the disk is full. */
  over(run: WatchedRun): Disposable {
    this.#watched.add(run);
    if (this.#watched.size === 1) this.#lookIn(lookMs.least);
    return { [Symbol.dispose]: () => this.#watched.delete(run) };
  }

  /** Whether one more run may write: only with the reserve behind it. */
  mayStart(): boolean {
    return this.checkSpace() === null && hasReserve(this.#journal, this.#space().reserve);
  }

  /** Looks now. Gives up the reserve where that helps; else all who are watched for hear why not, and so does the caller. */
  checkSpace(): string | null {
    return this.#measureSpace().error;
  }

  #measureSpace(): { error: string | null; spare: number } {
    const { free, low, reserve } = this.#space();
    this.#forgetGone();
    if (free >= low) {
      if (free >= 2 * low + reserve) holdReserve(this.#journal, reserve);
      return { error: null, spare: free - low };
    }
    const isGivenUp = giveUpReserve(this.#journal, Math.floor(reserve / partForEnds));
    if (isGivenUp) this.#log.warn({ free }, "the disk of runs' output is nearly full: the reserve is given up");
    if (isGivenUp && free >= low / partOfLow) return { error: null, spare: 0 };
    const error = `disk full: ${free} bytes are free where runs' output is kept, and what it prints could be lost. Make room on that disk, then ask again`;
    this.#stop(error, free);
    if (this.#stopped.size === 0) giveUpReserve(this.#journal, 0);
    return { error, spare: 0 };
  }

  #space(): { free: number; low: number; reserve: number } {
    const { free, total } = outputSpace(this.#journal);
    const part = Math.floor(total / partOfDisk);
    return { free, low: Math.min(mostLowBytes, part), reserve: Math.min(mostReserveBytes, part) };
  }

  #stop(error: string, free: number): void {
    const runs = [...this.#watched];
    this.#watched.clear();
    if (runs.length > 0)
      this.#log.error({ free, runs: runs.length }, "the disk of runs' output is full: runs are stopped");
    for (const run of runs) {
      this.#stopped.set(run, performance.now());
      run.onFull(error);
    }
  }

  /** Drops the runs that were stopped and write no more. */
  #forgetGone(): void {
    const now = performance.now();
    for (const [run, since] of this.#stopped) if (now - since > dyingMs || !run.mayWrite()) this.#stopped.delete(run);
  }

  #lookIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (this.#watched.size === 0 && this.#stopped.size === 0) return;
      const { spare } = this.#measureSpace();
      this.#lookIn(Math.min(lookMs.most, Math.max(lookMs.least, spare / bytesPerMs)));
    }, ms);
  }
}
