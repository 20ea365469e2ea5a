/**
 * Bounds of what a run may print, and of what becomes of it: a short line grows to many times its length in the run's file,
 * so both are counted. Printed bytes stand on the disk until the run has ended, whether or not they were read yet.
 */
import type { Clock } from "../model/clock.ts";

const lookEveryMs = 1000;

/** The most lines that a run's file may have, cortex's own last ones aside. */
export const maxFileLines = 2_000_000;
/** How many lines an attempt may print at any speed. */
const burstLines = 250_000;
/** How many more it may print for each second since it began. */
const linesPerSecond = 1000;

export class OutputCap implements Disposable {
  #timer: Disposable;

  /**
   * @param printed how many bytes an attempt has printed
   * @param onExceeded hears it once
   */
  constructor(clock: Clock, printed: () => number, maxBytes: number, onExceeded: (error: string) => void) {
    const look = () => {
      if (printed() > maxBytes) onExceeded(printedError(maxBytes));
      else this.#timer = clock.later(lookEveryMs, look);
    };
    this.#timer = clock.later(lookEveryMs, look);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}

/** Counts the lines of an attempt, whatever they say, against the time since it began. */
export class LineRate {
  readonly #began: number;
  #lines = 0;

  /** @param elapsedMs how long the attempt has run already: what it printed meanwhile is read at once */
  constructor(elapsedMs: number, now = performance.now()) {
    this.#began = now - Math.max(0, elapsedMs);
  }

  /** Counts the next line. Returns why it is one too many, or null. */
  count(now = performance.now()): string | null {
    this.#lines++;
    if (this.#lines <= burstLines) return null;
    const seconds = Math.max(0, now - this.#began) / 1000;
    if (this.#lines <= burstLines + linesPerSecond * seconds) return null;
    return `printed ${this.#lines} lines in ${Math.round(seconds)} s: a run may print ${burstLines}, and ${linesPerSecond} more each second`;
  }
}

/** The reason of a run that printed too much. */
export const printedError = (maxBytes: number) => `printed more than max_output_bytes, ${maxBytes} bytes`;

/** The reason of a run whose file grew too long. */
export const writtenError = (maxBytes: number) =>
  `what it printed makes its file longer than max_output_bytes, ${maxBytes} bytes`;

/** The reason of a run whose file has too many lines. */
export const linesError = `printed more than the ${maxFileLines} lines that a run's file may have`;
