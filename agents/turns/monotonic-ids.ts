/** Ids of runs, as times in ms: each later than all before, whatever the clock does. */

/** Gives the next one; told of a known one, it gives none up to that any more. */
export function risingIds(now: () => number = Date.now): (known?: number) => number {
  let last = 0;
  return (known) => {
    if (known !== undefined) return (last = Math.max(last, known));
    last = Math.max(last + 1, now());
    return last;
  };
}
