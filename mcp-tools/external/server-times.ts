/** How long things may take with an external server, all in ms. */
export type ServerTimes = {
  connect: number;
  /** A call without an answer and without a word of progress. */
  call: number;
  /** How long a call waits for a server that is being connected. */
  wait: number;
  pingEvery: number;
  /** Without an answer for so long it hangs. A tool that computes may keep its program from answering for a while. */
  ping: number;
  /** Before each attempt; the last goes on for ever. */
  backoff: readonly number[];
  /** Up for so long, earlier failures no longer count. */
  forget: number;
};

export const defaultTimes: ServerTimes = {
  connect: 30_000,
  call: 120_000,
  wait: 10_000,
  pingEvery: 15_000,
  ping: 30_000,
  backoff: [0, 1_000, 2_000, 5_000, 15_000, 60_000],
  forget: 60_000,
};
