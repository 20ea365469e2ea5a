/** Ids of runs: times in ms, each later than those before it. One that somebody else has taken is refused by cortex. */
let last = 0;

export function nextRunId(): number {
  last = Math.max(last + 1, Date.now());
  return last;
}
