/**
 * The type of a benchmark: it measures in rounds what is ours beside what it is compared with, and returns rows of the
 * table.
 */

/** How much is measured. */
export type Scale = {
  /** How many times each figure is taken. */
  rounds: number;
  /** Smaller sizes as well: to see that it works and how the ratios stand, not to judge. */
  isQuick: boolean;
};

export type Row = {
  what: string;
  unit: string;
  /** One figure a round. */
  ours: number[];
  /** Taken in the same rounds. The target holds for the ratio then, otherwise for our figure. */
  comparedWith?: { what: string; figures: number[] };
  /** Null where a row only explains another. */
  target: { atMost: number } | { atLeast: number } | null;
};

export type Benchmark = (scale: Scale) => Promise<Row[]>;
